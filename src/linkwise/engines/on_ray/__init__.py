"""What the Ray engine is made of."""
