"""Line networks, which look up in tables what the lines through a cell are worth.

lines         numbers the lines through each cell and the shapes on them (shapes.npz)
reference     computes a network from its integers, cell by cell: the definition
file          reads and writes NAME.line, the file of the integers, and keeps their bounds
layers        the parts that the network in training is made of
network       the network in training
export        turns a trained network into its integers
"""
