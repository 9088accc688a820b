"""Test doubles and a rig that run a real Hermes offline: a scripted model, replayed MCP servers, throw-away homes."""
