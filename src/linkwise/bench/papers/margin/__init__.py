"""Semi-supervised maximum margin clustering with pairwise constraints (TKDE 2012)."""
