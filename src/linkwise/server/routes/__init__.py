"""The routes: each reads a schema, asks a session one thing, and returns a schema."""
