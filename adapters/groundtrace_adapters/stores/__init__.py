"""Stores of rows and evaluations: memory, SQLite, PostgreSQL."""
