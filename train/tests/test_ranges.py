import numpy as np
import onnx
import pytest

from carozero_train import agreement, export, quantise
from carozero_train.networks import build
from carozero_train.ranges import BINS, SHARES, STEPS, activations, clipped, histogram, ranges


def rounded(values, low, high):
    """What bytes make of values: the definition, with zero exact."""
    step = (high - low) / STEPS
    return np.clip(np.round(values / step) * step, low, high)


def error(values, low, high):
    """Returns each position's squared error by its own squares, summed."""
    rows = values.reshape(len(values), -1)
    wrong = (rounded(rows, low, high) - rows) ** 2
    return (wrong.sum(1) / (rows * rows).sum(1)).sum()


def fitted(values):
    low, high = min(values.min(), 0), max(values.max(), 0)
    return clipped(histogram(values, low, high), low, high)


@pytest.mark.parametrize("relu", [True, False])
@pytest.mark.parametrize("outliers", [0, 2])
def test_no_share_of_the_range_errs_less(relu, outliers):
    random = np.random.default_rng(3)
    values = random.normal(0, 1, (300, 8, 5, 5))
    values[:outliers] *= 60
    if relu:
        values = np.maximum(values, 0)
    low, high = fitted(values)
    whole = min(values.min(), 0), max(values.max(), 0)
    best = min(error(values, whole[0] * share, whole[1] * share) for share in SHARES)
    assert error(values, low, high) <= best * 1.02
    assert error(values, low, high) <= error(values, *whole)


def test_few_positions_do_not_stretch_the_range_of_the_others():
    values = np.random.default_rng(4).uniform(0, 1, (500, 100))
    without = fitted(values)
    values[7] *= 100
    low, high = fitted(values)
    assert without == (0, pytest.approx(1, rel=1e-3)), "nothing is cut off that is not rare"
    assert low == 0 and 1 <= high < 10


def test_the_histogram_weighs_a_position_by_its_own_squares():
    values = np.array([[1.0, 1.0], [10.0, 10.0], [0.0, 0.0], [3.0, 4.0]])
    got = histogram(values, 0, 10)
    want = {1: 2 / 2, 10: 2 / 200, 3: 1 / 25, 4: 1 / 25}
    for value, weight in want.items():
        assert got[min(BINS - 1, int(value / 10 * BINS))] == pytest.approx(weight)
    assert got.sum() == pytest.approx(sum(want.values()))


def test_every_tensor_of_the_tower_has_a_range(tmp_path):
    export.export(build("b2c16", 1).eval(), tmp_path / "net.onnx", {"caro"}, range(5, 10), {})
    net = quantise._named(onnx.load(tmp_path / "net.onnx"))
    planes, scalars = export.inputs(np.random.default_rng(1), 70, 7)
    boards = [agreement.Positions(planes, scalars, np.ones((70, 49), bool))]
    nodes = quantise.tower(net)
    got = ranges(net, nodes, {"planes"}, boards)
    assert got["planes"].range_value == (0, 1), "exact"
    names = activations(net, nodes)
    assert {"planes"} < set(names) and len(names) == len(got.data)
    for name in names:
        low, high = got[name].range_value
        assert low <= 0 <= high and low < high, name
