"""Files: those that come in, those that are here, those that go out."""
