"""Residual towers.

network       the network, and the form in which its norms are folded
renorm        its normalisation
grow          a larger network that begins as the same function as a smaller one
"""
