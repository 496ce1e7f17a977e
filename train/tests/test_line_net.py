"""A line network in training, against its integers and against definitions."""

import json
from dataclasses import replace

import linegolden
import numpy as np
import pytest
import torch
from linegolden import DIRECTORY, case, position, tiny_file
from training import config, records

from carozero.samples import symmetry
from carozero_train.errors import Usage
from carozero_train.line import export as line_export
from carozero_train.line import file, lines, reference
from carozero_train.line.layers import TOP, Lookup, bounded, clamped, numbered, read, rounded
from carozero_train.line.reference import Position
from carozero_train.networks import build, inherit
from carozero_train.trainer import Trainer

GOLDEN = json.loads((DIRECTORY / "golden.json").read_text())["positions"]


@pytest.fixture(scope="module")
def tiny():
    return linegolden.read(tiny_file())[0]


def lively(size="line16"):
    """A net as after long training: features of all sizes, decided outputs."""
    net = build(size, 1)
    torch.manual_seed(1)
    with torch.no_grad():
        net.mapping.layers[-1].weight.mul_(6)
        net.mapping.layers[-1].bias.normal_(0.1, 0.1)
        net.taps_bias.normal_(0, 0.3)
        for layer in (net.value1, net.value2, net.context):
            layer.weight.mul_(1.5)
        net.generate.weight.normal_(0, 0.15)
        net.value_out.weight.normal_(0, 0.15)
    return net.eval()


@pytest.fixture(scope="module")
def net():
    return lively()


def some_positions():
    random = np.random.default_rng(7)
    rules = list(lines.RULES)
    return [position(random, rules[i % 8], size) for i, size in enumerate((5, 6, 7, 8, 9, 11, 13, 15, 17, 20, 22, 9))]


def centred(logits):
    """Without what all cells have in common: the floors take off a little of all."""
    return logits - logits.mean()


@pytest.mark.parametrize("size, step", [("line16", 1), ("line32", 4)])
def test_integers_equal_floats(size, step):
    """Features as good as exactly; logits within what rounding the rest can do."""
    net, spread = lively(size), []
    integers = line_export.integers(net)
    for p in some_positions()[::step]:
        planes, scalars = map(torch.from_numpy, line_export.inputs(p))
        with torch.no_grad():
            cells = net.cells(lines.Lines(planes.numpy(), scalars.numpy()), planes.device)
            policy, value = net(planes, scalars)
        out = reference.evaluate(integers, p)
        off = np.abs(cells[:, 0].numpy() * 32 - np.clip(out.acc, 0, 127))
        assert off.max() <= 1 and (off > 0).mean() < 1e-3  # rows within 1e-6 of a half
        spread.append(policy.std().item())
        off = centred(out.policy / 2**15) - centred(policy[0].numpy())
        assert np.abs(off).max() < 0.05 * spread[-1]
        np.testing.assert_allclose(out.value / 2**21, value[0].numpy(), atol=0.02)
    assert min(spread) > 0.2


def test_captured_stones_and_the_mover_count(net):
    p = Position("school42", 9, (0, 5, 40), (8, 33, 41), True)
    q = Position("renju", 9, (30, 31, 32, 48), (2, 20, 77, 78), True)
    for one, other in ((p, replace(p, captured_own=4)), (p, replace(p, captured_opponent=8))):
        a, b = (net(*map(torch.from_numpy, line_export.inputs(x)))[1] for x in (one, other))
        assert (a - b).abs().max() > 0.01
    q = replace(q, own=(30, 31, 32, 40 + 9, 40 + 18, 40 - 9))
    a, b = (line_export.inputs(x) for x in (q, replace(q, first=False)))
    codes = [lines.Lines(*x).codes for x in (a, b)]
    assert (codes[0] != codes[1]).any()


def test_the_golden_file_is_what_the_definition_says(tiny):
    for i in range(0, len(GOLDEN), 4):
        want = GOLDEN[i]
        p = Position(
            want["rule"],
            want["size"],
            tuple(want["own"]),
            tuple(want["opponent"]),
            want["to_move"] == "first",
            want["captured_own"],
            want["captured_opponent"],
        )
        assert case(tiny, p) == want


def test_features_move_with_the_board(tiny):
    p = position(np.random.default_rng(3), "renju", 9)
    acc = reference.features(tiny, p)
    for s in range(symmetry.SYMMETRIES):
        image = symmetry.images(9)[s]
        moved = replace(p, own=tuple(image[list(p.own)]), opponent=tuple(image[list(p.opponent)]))
        np.testing.assert_array_equal(reference.features(tiny, moved)[:, image], acc)
    other = replace(p, own=p.opponent, opponent=p.own, first=not p.first)
    np.testing.assert_array_equal(reference.features(tiny, other), acc[::-1])


def test_lookups_have_the_gradient_of_a_sum():
    torch.manual_seed(1)
    table = torch.randn(7, 3, requires_grad=True)
    index, weight = torch.randint(0, 7, (4, 20)), torch.randn(20, 3)
    plain = torch.stack([table[i] for i in index]).sum(0)
    torch.testing.assert_close(Lookup.apply(table, index), plain)
    (want,) = torch.autograd.grad((plain * weight).sum(), table)
    (got,) = torch.autograd.grad((Lookup.apply(table, index) * weight).sum(), table)
    torch.testing.assert_close(got, want)


def test_numbers_of_the_lines_of_a_batch():
    rows = np.random.default_rng(1).choice([0, 5, 66430, lines.ROWS - 1], (2, 4, 3, 25))
    unique, index = numbered(rows)
    assert unique[:4].tolist() == sorted(set(rows.ravel().tolist()))
    assert len(unique) == 64 and not unique[4:].any()
    np.testing.assert_array_equal(unique[index], rows)
    many = np.random.default_rng(2).integers(0, lines.ROWS, 40000)
    lengths = {len(numbered(many[:n])[0]) for n in range(36000, 40000, 250)}
    assert len(lengths) < 4 and max(lengths) < 1.05 * len(set(many.tolist())) + 1024


@pytest.mark.parametrize("h, w", [(5, 5), (7, 8), (9, 9), (22, 20)])
def test_heads_read_ninths_and_halves(h, w):
    torch.manual_seed(3)
    x = torch.randn(2, 3, h, w, 4, requires_grad=True)
    sums, cells, halves = read(x)
    want, count = torch.zeros(2, 3, 9, 4), torch.zeros(9, 1)
    for y in range(h):
        for z in range(w):
            r = 3 * (3 * y // h) + 3 * z // w
            want[:, :, r] = want[:, :, r] + x[:, :, y, z]
            count[r] += 1
    first = torch.cat([x[0, ..., :2], x[1, ..., :2]], 3)
    torch.testing.assert_close(sums, want, atol=1e-4, rtol=1e-4)
    assert torch.equal(cells.float(), count) and torch.equal(halves, first)
    a, b = torch.randn_like(want), torch.randn_like(first)
    gradients = [torch.autograd.grad((s * a).sum() + (f * b).sum(), x)[0] for s, f in ((want, first), (sums, halves))]
    torch.testing.assert_close(*gradients)


def test_clamped_lets_gradients_through_from_bound_to_bound():
    # The bounds included, in every PyTorch: clamp's own gradient there is 1 in some
    # versions and 0 in others.
    top = torch.tensor(TOP)
    x = torch.tensor([-1, 0, 1, TOP, 5, *(torch.nextafter(b, torch.tensor(to)) for b in (0 * top, top) for to in (-9.0, 9.0))])
    x.requires_grad_()
    weight = torch.randn(len(x))
    for low, high in ((0, TOP), (-TOP, TOP), (0, 1)):
        got = clamped(x, low, high)
        assert torch.equal(got, x.clamp(low, high))
        want = torch.where((x >= low) & (x <= high), weight, torch.zeros(()))
        assert torch.equal(torch.autograd.grad((got * weight).sum(), x)[0], want)


def test_rounding_lets_gradients_through_and_bounds_hold():
    x = torch.tensor([0.26, -0.24, 0.5], requires_grad=True)
    y = rounded(x, 2)
    assert y.tolist() == [0.5, 0.0, 0.5]
    y.sum().backward()
    assert x.grad.tolist() == [1, 1, 1]
    weights, biases = bounded(torch.tensor([[3.0, -1.0], [0.1, 0.1]]), torch.tensor([2.0, 0.1]), 2.0, 5.0)
    total = weights.abs().sum(1) * 2 + biases.abs()
    assert total[0].item() == pytest.approx(5 * 0.995) and total[1].item() == pytest.approx(0.5)
    assert (weights[0, 0] / weights[0, 1]).item() == pytest.approx(-3)


def test_weights_that_explode_are_exported_within_bounds():
    net = lively()
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.mul_(40)
    tensors = line_export.integers(net)
    assert max(file.excess(tensors).values()) <= 0
    assert file.clip(tensors)[1] == 0
    p = some_positions()[6]
    planes, scalars = map(torch.from_numpy, line_export.inputs(p))
    out = reference.evaluate(tensors, p)
    policy, value = net(planes, scalars)
    np.testing.assert_allclose(out.value / 2**21, value[0].detach(), atol=0.5, rtol=0.01)
    assert np.abs(out.policy).max() > 2**20 and np.isfinite(policy.detach().numpy()).all()


def test_it_learns(runs, tmp_path):
    """Moves and results of the made-up games, the policy to near what is left."""
    options = {"steps": 60, "batch": 32, "lr": 0.005, "log_every": 10, "val_fraction": 0.0}
    options = config(size="line16", precision="bfloat16", **options)
    Trainer.start(options, runs[:1], tmp_path / "out").run()
    found = records(tmp_path / "out")
    first, last = found[0], found[-1]
    assert last["policy_loss"] - last["policy_floor"] < 0.5 * (first["policy_loss"] - first["policy_floor"])
    assert last["value_loss"] < first["value_loss"] - 0.03


def test_a_net_of_another_kind_is_no_parent(runs, tmp_path):
    Trainer.start(config(steps=1, size="line16"), runs[:1], tmp_path / "a").run()
    parent = tmp_path / "a" / "checkpoint.pt"
    with pytest.raises(Usage, match="a line16 net cannot grow to b2c16: want a --size of the line networks"):
        Trainer.start(config(size="b2c16"), runs[:1], tmp_path / "b", parent)
    child = Trainer.start(config(size="line16"), runs[:1], tmp_path / "c", parent)
    assert child.provenance["steps_before"] == 1
    grown = Trainer.start(config(steps=1, size="line32"), runs[:1], tmp_path / "d", parent)
    assert grown.provenance["steps_before"] == 1
    grown.run()
    with pytest.raises(Usage, match="a line32 net cannot grow to line16: it has 32 channels and --size 16"):
        Trainer.start(config(size="line16"), runs[:1], tmp_path / "e", tmp_path / "d" / "checkpoint.pt")


def test_a_grown_network_gives_the_same_integers(net):
    """All that the engine computes is the same, though half of the channels are new."""
    large = build("line32", 2)
    inherit(net.state_dict(), "line16", large)
    old, new = line_export.integers(net), line_export.integers(large.eval())
    assert file.clip(old)[1] == file.clip(new)[1]
    for p in some_positions():
        a, b = reference.evaluate(old, p), reference.evaluate(new, p)
        assert np.array_equal(a.policy, b.policy) and np.array_equal(a.value, b.value)
        f = reference.features(new, p)
        place = np.r_[0:8, 16:24]
        assert np.array_equal(f[:, :, place], reference.features(old, p))
        assert (np.delete(f, place, 2) > 0).any()


def test_all_that_is_new_in_a_grown_network_learns(net):
    large = build("line32", 2)
    inherit(net.state_dict(), "line16", large)
    fresh = {name: p.detach().clone() for name, p in large.named_parameters()}
    optimizer = torch.optim.SGD(large.parameters(), lr=0.02)
    planes, scalars = (torch.from_numpy(np.concatenate(x)) for x in zip(*(line_export.inputs(p) for p in some_positions() if p.size == 9)))
    for _ in range(4):
        policy, value = large.train()(planes, scalars)
        loss = policy.logsumexp(1).mean() - policy[:, 40].mean() - value.log_softmax(1)[:, 0].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    new = np.r_[8:16, 24:32]
    for name, part in {
        "mapping.layers.4.weight": new,
        "taps": (slice(None), new[:8]),
        "value1.weight": (slice(None), new),
        "generate.weight": new[:8],
    }.items():
        now, was = dict(large.named_parameters())[name].detach()[part], fresh[name][part]
        assert (now != was).float().mean() > 0.3, name
