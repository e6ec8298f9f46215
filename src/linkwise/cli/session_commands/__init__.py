"""The commands below ``linkwise session``."""
