"""What one column becomes: one role, one file."""
