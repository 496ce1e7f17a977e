"""External trainer of CaroZero: reads sample shards, trains a net, writes ONNX.

Threads that wait for each other must sleep, not spin: on a machine with other
work a spinning thread takes the time that the one it waits for needs. The
runtimes of OpenMP read this when PyTorch is first imported, hence here. What
the environment says already stays.
"""

import os

for _name, _value in (
    ("OMP_WAIT_POLICY", "passive"),
    ("GOMP_SPINCOUNT", "0"),
    ("KMP_BLOCKTIME", "0"),
):
    os.environ.setdefault(_name, _value)
