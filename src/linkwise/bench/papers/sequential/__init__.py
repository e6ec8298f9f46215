"""Sequential constraints, KDD 2015."""
