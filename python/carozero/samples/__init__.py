"""Sample shards, read as docs/samples.md describes them.

schema    names and numbers of the files: what the program and Python share
shard     manifests, headers and columns, checked
rows      rows in memory, and the batches made of them
symmetry  the symmetries of each game, as the engine numbers them
stream    batches in random order, by weight, under random symmetries
batches   the same for any loop, an epoch at a time

The trainer reads through these modules too.
"""
