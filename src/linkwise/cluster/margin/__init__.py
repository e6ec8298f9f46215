"""Maximum margin clustering: one linear score per cluster, wide margins between them."""
