"""One folder, one paper."""
