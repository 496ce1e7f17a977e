"""Residual towers: the network and its folded form, its normalisation, and how it grows."""
