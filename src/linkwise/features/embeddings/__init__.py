"""Texts and pictures placed by models that are on this machine."""
