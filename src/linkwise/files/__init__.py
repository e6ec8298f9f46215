"""Files, whatever they are about: text and its encodings, delimited text, Arrow's formats.

pyarrow does the reading. It is imported where it is used, so that ``import linkwise`` stays quick.
"""
