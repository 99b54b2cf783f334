"""Transcripts that other agents left, read as events: pure, one module a format."""
