"""Agents of other frameworks, recorded and gated; each module needs the extra of its name and no other loads it."""
