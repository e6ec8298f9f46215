"""One estimator, one file; :mod:`linkwise.cluster.base` holds what every fit has in common."""
