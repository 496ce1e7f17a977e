"""External trainer of CaroZero: reads sample shards, trains a net, writes ONNX.

The reader of shards is that of the package carozero, which researchers install.

Threads that wait for each other must sleep, not spin: on a machine with other
work a spinning thread takes the time that the one it waits for needs. The
runtimes of OpenMP read this when PyTorch is first imported, hence here. What
the environment says already stays.
"""

import os
import sys

_beside = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "python"))
if os.path.isdir(os.path.join(_beside, "carozero")):  # in a checkout, the package of that checkout
    sys.path.insert(0, _beside)

for _name, _value in (("OMP_WAIT_POLICY", "passive"), ("GOMP_SPINCOUNT", "0"), ("KMP_BLOCKTIME", "0")):
    os.environ.setdefault(_name, _value)
