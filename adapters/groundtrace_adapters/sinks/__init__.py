"""Ways from the recorder to a store: a queue with one writer thread, and the spool behind it."""
