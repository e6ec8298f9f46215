"""Events: what people can say to a session."""
