"""Adapters of groundtrace: import the module you need; each brings its own dependency as an extra."""
