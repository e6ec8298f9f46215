"""Large-scale spectral clustering based on pairwise constraints (SC-PC), ESWA 2015."""
