"""What looks after a whole store: pages over all of it, retention, figures."""
