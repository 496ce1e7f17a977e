"""Onitama: the engine's golden planes against the trainer's view of them, and a
network of the game from rows to an ONNX file."""

import json
from pathlib import Path

import numpy as np
import pytest

from carozero.samples import symmetry
from carozero.samples.rows import Rows, batch, unpack
from carozero.samples.schema import ONITAMA
from carozero_train import export, metadata, metrics
from carozero_train.errors import Usage
from carozero_train.networks import build

GOLDEN = json.loads((Path(__file__).parent / "golden" / "onitama.json").read_text())
CASES = GOLDEN["cases"]


def view(case, s):
    """Planes [12, 25], globals [2] and actions of a case under symmetry s."""
    seen = case["symmetries"][s]
    data = np.array([list(bytes.fromhex(text)) for text in seen["planes"]], np.uint8)
    scalars = np.array(seen["globals"], np.float32)
    return unpack(data, 25), scalars, np.array(seen["actions"], np.int64)


def test_some_hand_is_exchanged_by_the_mirror():
    own = ONITAMA.planes.index("own_card_1")
    hands = np.array([view(case, 0)[0][own : own + 2] for case in CASES])
    assert not symmetry.Mirror._exchanged(hands).any()
    mirrored = hands.reshape(-1, 2, 5, 5)[..., ::-1].reshape(-1, 2, 25)
    assert 0 < symmetry.Mirror._exchanged(mirrored).sum() < len(CASES)


@pytest.mark.parametrize("s", [0, 1])
def test_symmetries_equal_the_engines(s):
    planes, scalars, _ = (np.array(part) for part in zip(*[view(c, 0)[:2] + (0,) for c in CASES]))
    kept = planes.copy(), scalars.copy()
    moved = symmetry.of(ONITAMA).view(planes, scalars, 5, np.full(len(CASES), s))
    for i, case in enumerate(CASES):
        want_planes, want_scalars, want_actions = view(case, s)
        np.testing.assert_array_equal(moved[0][i], want_planes, err_msg=case["position"])
        np.testing.assert_array_equal(moved[1][i], want_scalars, err_msg=case["position"])
        np.testing.assert_array_equal(moved[2][i][view(case, 0)[2]], want_actions)
        assert len(set(moved[2][i])) == ONITAMA.actions(5)
    np.testing.assert_array_equal(planes, kept[0])
    np.testing.assert_array_equal(scalars, kept[1])


def rows():
    """One row a case that has at least two moves; the first two are visited."""
    views = [view(case, 0) for case in CASES]
    n = len(views)
    legal = np.zeros((n, ONITAMA.actions(5)), np.uint8)
    for i, (_, _, actions) in enumerate(views):
        legal[i, actions] = 1
    visited = np.concatenate([actions[:2] for _, _, actions in views])
    return Rows(
        ONITAMA,
        5,
        planes=np.packbits(np.array([v[0] for v in views]), axis=-1),
        legal=np.packbits(legal, axis=-1),
        globals=np.array([v[1] for v in views]),
        outcome=np.zeros(n, np.int8),
        q=np.zeros(n, np.float32),
        future=np.zeros((n, 2), np.float32),
        full=np.ones(n, np.uint8),
        origin=np.zeros(n, np.int32),
        counts=np.full(n, 2),
        actions=visited.astype(np.uint16),
        target=np.tile(np.array([0.75, 0.25], np.float32), n),
    )


@pytest.mark.parametrize("s", [0, 1])
def test_batches_carry_policy_and_legal_actions_along(s):
    arrays = batch(rows(), np.full(len(CASES), s), 0.0, "full")
    for i, case in enumerate(CASES):
        planes, scalars, actions = view(case, s)
        np.testing.assert_array_equal(arrays["planes"][i].reshape(-1, 25), planes)
        np.testing.assert_array_equal(arrays["globals"][i], scalars)
        assert set(np.flatnonzero(arrays["legal"][i])) == set(actions)
        want = {int(actions[0]): 0.75, int(actions[1]): 0.25}
        got = {int(a): float(arrays["policy"][i, a]) for a in np.flatnonzero(arrays["policy"][i])}
        assert got == pytest.approx(want)


def test_a_network_learns_and_is_exported(tmp_path):
    import torch

    net = build("b2c16", 1, ONITAMA)
    arrays = batch(rows(), np.zeros(len(CASES), np.int64), 0.0, "full")
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    optimizer = torch.optim.Adam(net.parameters(), 1e-2)
    first = last = None
    for _ in range(30):
        policy, value = net(tensors["planes"].float(), tensors["globals"])
        loss, _ = metrics.losses(policy, value, tensors)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        last = float(loss)
        first = first if first is not None else last
    assert last < 0.6 * first
    path = tmp_path / "net.onnx"
    export.export(net, path, ["onitama"], [5], {"size": "b2c16"})
    assert export.session(path).get_modelmeta().custom_metadata_map["carozero.planes"] == "onitama-2"
    with pytest.raises(Usage):
        metadata.parse_sizes("15", ONITAMA)
    with pytest.raises(Usage):
        metadata.parse_rules("caro", ONITAMA)
