"""Our tools, the gate and the summary for any MCP client, over standard input and output or HTTP on loopback."""
