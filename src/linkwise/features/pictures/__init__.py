"""Picture files, and what is seen in them without any model."""
