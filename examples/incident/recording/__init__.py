"""The parts of the incident recorder: a throwaway PostgreSQL, its clients, its metrics and its logs."""
