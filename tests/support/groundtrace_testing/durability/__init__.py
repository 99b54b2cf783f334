"""Faults that the write path must survive, really done: small in the contract tests, long in `make soak`."""
