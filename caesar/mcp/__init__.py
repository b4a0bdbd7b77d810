"""Memory for assistants that speak the Model Context Protocol: at `/mcp` by HTTP, and over standard input."""
