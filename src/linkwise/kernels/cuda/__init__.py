"""The inner loops on a GPU: CUDA sources, what surrounds them, and the same arithmetic in NumPy.

Nothing here needs more than NumPy and CuPy; ``layout`` and ``emulation`` not even CuPy.
"""
