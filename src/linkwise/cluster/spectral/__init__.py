"""Spectral clustering: graphs of rows or landmarks, changed by links."""
