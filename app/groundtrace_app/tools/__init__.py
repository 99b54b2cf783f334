"""The three evidence tools over their sources."""
