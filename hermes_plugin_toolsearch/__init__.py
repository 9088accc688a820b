"""Tool search for Hermes Agent: MCP and plugin tools behind three bridge tools."""

__version__ = "0.1.0"
