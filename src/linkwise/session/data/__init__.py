"""The data a session is about, and how rows are shown and placed."""
