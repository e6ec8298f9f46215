"""State: what the events so far amount to."""
