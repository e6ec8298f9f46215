"""K-means and its kin: centres, moved by links or labels."""
