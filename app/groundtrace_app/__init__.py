"""The groundtrace application: recorder, summary, chat and command line over the core and the adapters."""
