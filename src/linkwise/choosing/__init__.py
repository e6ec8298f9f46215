"""Choosing between methods and parameters where there is no truth: by links left out."""
