"""groundtrace: what an agent's tools really returned, and how far an answer may go on it."""
