"""The SHA-256 of an ONNX file's weights, which stands in the file itself.

A runtime loads a file with flipped bits in its weights without a word. So `export`
and `quantise` write the digest of the initializers into the metadata, and whoever
loads the file compares: the program, and `check` here. models/README.md says over
which bytes it goes.
"""

from __future__ import annotations

import hashlib
import struct

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from .errors import DataError

KEY = "carozero.weights"

# Types whose elements numpy has as the file has them.
PLAIN = {
    getattr(TensorProto, name)
    for name in "FLOAT DOUBLE FLOAT16 BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64".split()
}


def weights_digest(model: onnx.ModelProto) -> str:
    """Returns the SHA-256 over the initializers, however their data are encoded.
    Raises DataError for data in another file."""
    sha = hashlib.sha256()
    for tensor in sorted(model.graph.initializer, key=lambda t: t.name.encode()):
        name, dims = tensor.name.encode(), list(tensor.dims)
        sha.update(struct.pack("<q", len(name)) + name)
        sha.update(struct.pack(f"<{2 + len(dims)}q", tensor.data_type, len(dims), *dims))
        sha.update(_elements(tensor))
    return sha.hexdigest()


def _elements(tensor: TensorProto) -> bytes:
    """Returns the elements, the lowest byte of each first."""
    if tensor.data_location == TensorProto.EXTERNAL:
        raise DataError(f"the data of the tensor {tensor.name} are not in the file")
    if tensor.HasField("raw_data"):
        return tensor.raw_data
    if tensor.data_type not in PLAIN:
        raise DataError(f"the tensor {tensor.name} has elements of type {tensor.data_type}, want numbers")
    array = numpy_helper.to_array(tensor)
    return array.astype(array.dtype.newbyteorder("<")).tobytes()


def sealed(model: onnx.ModelProto) -> str:
    """Returns the digest that a file's metadata tell, "" if there is none."""
    return next((p.value for p in model.metadata_props if p.key == KEY), "")


def check(path) -> None:
    """Raises DataError if an ONNX file has the digest of other weights."""
    model = onnx.load(str(path), load_external_data=False)
    told = sealed(model)
    if told and told != weights_digest(model):
        raise DataError(f"{path}: the weights do not have the digest {KEY}: the file is damaged")
