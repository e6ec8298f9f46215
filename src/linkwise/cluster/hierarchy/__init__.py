"""Clusters made by merging and splitting: constrained linkage and super-instances."""
