"""Ways from the recorder to a store: a bounded queue with its writers, one for each server, and the spool behind it."""
