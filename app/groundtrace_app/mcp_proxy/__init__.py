"""Between an MCP client and its server: what passes is handed on byte by byte, and copies of it are recorded."""
