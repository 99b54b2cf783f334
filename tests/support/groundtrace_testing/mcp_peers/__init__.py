"""Servers of MCP for tests, each started as a process by its file."""
