"""Reads the files of other agents' transcripts: records one by one, in bounded memory."""
