"""Agents of real frameworks with scripted models, each behind one protocol: `agents.Driver`."""
