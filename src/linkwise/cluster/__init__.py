"""One estimator, one file; families in rooms of their own, under the ritual in ``base.py``."""
