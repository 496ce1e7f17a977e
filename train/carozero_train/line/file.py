"""Files of line networks: NAME.line, safetensors of integers with metadata.

The engine adds in 16 and 32 bits, so the weights are bounded such that no sum overflows:
`excess` says by how much a network is over a bound, `clip` makes its weights smaller
until it is not, and `write` refuses a network that is.
"""

from __future__ import annotations

import json

import numpy as np
import safetensors.numpy

from carozero.samples.shard import digest

from ..checkpoint import write_with_digest
from ..errors import DataError
from ..metadata import RULES as RULE_KEY
from ..metadata import RUN, SIZES, WEIGHTS
from .lines import CODES, ROWS, RULES, shapes_digest
from .reference import EXTRAS, FEATURE, HIDDEN, INPUT, SCORE, SCORES, UNIT

FORMAT = "carozero-line-1"

# Key of the digest of the shapes on lines.
PATTERNS = "carozero.patterns"

INT32 = (1 << 31) - 1


def layout(k: int) -> dict:
    """Returns the type and shape of each tensor of a network with k channels, in
    the order of the digest."""
    generated = SCORES * k + SCORES
    return {
        "T": (np.int8, (ROWS, k)),
        "E1": (np.int8, (CODES, k)),
        "E2": (np.int8, (CODES, k)),
        "W1": (np.int16, (HIDDEN, 18 * k + EXTRAS)),
        "W2": (np.int16, (HIDDEN, HIDDEN)),
        "W3": (np.int16, (3, HIDDEN)),
        "B1": (np.int32, (HIDDEN,)),
        "B2": (np.int32, (HIDDEN,)),
        "B3": (np.int32, (3,)),
        "D": (np.int16, (9, k)),
        "Db": (np.int16, (k,)),
        "G1": (np.int16, (HIDDEN, 2 * k + EXTRAS)),
        "Gb1": (np.int32, (HIDDEN,)),
        "G2": (np.int16, (generated, HIDDEN)),
        "Gb2": (np.int32, (generated,)),
        "O": (np.int16, (SCORES,)),
    }


# Layers whose sums are 32-bit numbers: weights, biases, the largest input.
SUMS = (("W1", "B1", INPUT), ("W2", "B2", UNIT), ("W3", "B3", UNIT), ("G1", "Gb1", INPUT), ("G2", "Gb2", UNIT))


def excess(tensors: dict) -> dict:
    """Returns, for each bound, how far the largest sum that inputs can bring about
    is over it: a positive number is a fault."""
    t = {name: np.abs(tensor.astype(np.int64)) for name, tensor in tensors.items()}
    out = {w: int((t[w].sum(1) * top + t[b]).max()) - INT32 for w, b, top in SUMS}
    out["D"] = int((t["D"].sum(0) * FEATURE + t["Db"]).max()) - 32767
    out["O"] = int(t["O"].sum() * SCORE) - INT32
    return out


def clip(tensors: dict) -> tuple:
    """Returns the tensors with rows that break a bound made smaller until they
    meet it, and how many rows those were."""
    out, rows = dict(tensors), 0
    for w, b, top in SUMS:
        out[w], out[b], n = _shrunk(out[w], out[b], top, INT32)
        rows += n
    taps, out["Db"], n = _shrunk(out["D"].T, out["Db"], FEATURE, 32767)
    out["D"] = np.ascontiguousarray(taps.T)
    last, _, m = _shrunk(out["O"][None], np.zeros(1, np.int64), SCORE, INT32)
    out["O"] = last[0]
    return out, rows + n + m


def _shrunk(weights: np.ndarray, biases: np.ndarray, top: int, bound: int):
    """Returns weights [rows, n] and biases [rows] of which those rows are smaller,
    towards zero, whose sums could pass the bound."""
    w, b = weights.astype(np.float64), biases.astype(np.float64)
    total = np.abs(w).sum(1) * top + np.abs(b)
    over = total > bound
    share = np.where(over, bound / np.maximum(total, 1), 1)
    w, b = np.fix(w * share[:, None]), np.fix(b * share)
    return w.astype(weights.dtype), b.astype(biases.dtype), int(over.sum())


def write(path, tensors: dict, rules, sizes: str, run: dict, further=None) -> None:
    """Writes a network for some rule sets and board sizes, as metadata has them, and
    further metadata, with a file of its digest beside it. Raises DataError if a bound
    is broken."""
    k = tensors["T"].shape[1]
    tensors = {name: np.ascontiguousarray(tensors[name]) for name in layout(k)}
    for name, over in excess(tensors).items():
        if over > 0:
            raise DataError(f"{path}: {name} is too large: its sums can pass the bound by {over}")
    metadata = {
        "format": FORMAT,
        RULE_KEY: ",".join(rule for rule in RULES if rule in rules),
        SIZES: sizes,
        RUN: json.dumps(run, sort_keys=True, separators=(",", ":")),
        PATTERNS: shapes_digest(rules),
        WEIGHTS: digest(*(tensor.tobytes() for tensor in tensors.values())),
        **(further or {}),
    }
    write_with_digest(path, _ordered(safetensors.numpy.save(tensors, metadata)))


def _ordered(data: bytes) -> bytes:
    """Returns a safetensors file with its header in one order: the library's is
    another one in each process."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    text = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data[8 + length :]
