"""The journal: what was said, written for good, and its copy in memory."""
