"""A grown network begins as the smaller one and uses all that it has."""

from copy import deepcopy
from dataclasses import replace

import pytest
import torch

from carozero.samples.schema import GOMOKU, ONITAMA
from carozero_train import checkpoint
from carozero_train.errors import Usage
from carozero_train.networks import RESIDUAL
from carozero_train.residual.grow import check, grow
from carozero_train.residual.network import Network
from carozero_train.trainer import Trainer
from training import config

SIZES = RESIDUAL.sizes

GROWTHS = [("b2c16", "b4c32"), ("b4c32", "b6c96"), ("b4c64", "b6c96"), ("b6c96", "b10c128")]


def position(game, size=7):
    planes = torch.randint(0, 2, (3, len(game.planes), size, size)).float()
    return planes, torch.rand(3, len(game.globals))


def lived(size, game):
    """A network whose norms and weights are not as they were made."""
    net = Network(size, game)
    with torch.no_grad():
        for tensor in net.state_dict().values():
            if tensor.is_floating_point():
                tensor.mul_(1 + 0.2 * torch.rand_like(tensor)).add_(0.02 * torch.rand_like(tensor))
    return net.train(False)


def exactly(net, batch):
    """What a network computes in float64. A convolution in float32 adds up in an order that
    depends on the number of filters, the processor and PyTorch's version, and large terms of
    both signs leave an error there that is no fault of the growth."""
    return net.eval().double()(*(x.double() for x in batch))


@pytest.mark.parametrize("small,large", GROWTHS)
@pytest.mark.parametrize("game", [GOMOKU, ONITAMA], ids=lambda g: g.name)
def test_it_computes_the_same(small, large, game):
    torch.manual_seed(1)
    old, new = lived(SIZES[small], game), Network(SIZES[large], game)
    batch = position(game, 5 if game is ONITAMA else 7)
    before = [x.clone() for x in new.eval()(*batch)]
    grow(old.state_dict(), old.size, new)
    for a, b, c in zip(exactly(old, batch), exactly(new, batch), before):
        torch.testing.assert_close(a, b, atol=1e-9, rtol=1e-9)
        assert not torch.allclose(a.float(), c, atol=1e-2)


@pytest.mark.parametrize("small,large", GROWTHS[:3:2])
def test_every_new_weight_learns(small, large):
    torch.manual_seed(2)
    new = Network(SIZES[large], GOMOKU)
    grow(lived(SIZES[small], GOMOKU).state_dict(), SIZES[small], new)
    fresh = {name: p.detach().clone() for name, p in new.named_parameters()}
    optimizer = torch.optim.SGD(new.parameters(), lr=0.01)
    for _ in range(4):
        policy, value = new.train()(*position(GOMOKU))
        loss = policy.logsumexp(1).mean() - policy[:, 3].mean() - value.log_softmax(1)[:, 0].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    for name, p in new.named_parameters():
        moved = (p.detach() != fresh[name]).flatten(1).any(1) if p.dim() > 1 else p.detach() != fresh[name]
        assert moved.float().mean() > 0.6, f"{name}: {moved.float().mean()} of its outputs moved"


def test_what_cannot_grow():
    small = SIZES["b4c64"]
    for large, said in (
        (SIZES["b4c32"], "filters 64"),
        (replace(small, pool_filters=32), "48 other filters"),
        (replace(small, blocks=5, pool=(0,)), "no counterparts"),
    ):
        with pytest.raises(Usage, match=said):
            check(small, large)


def test_a_run_grows_from_a_checkpoint(runs, tmp_path):
    Trainer.start(config(size="b2c16", steps=3), runs, tmp_path / "small").run()
    parent = tmp_path / "small" / "checkpoint.pt"
    first = Trainer.start(config(size="b4c32", steps=3), runs, tmp_path / "large", parent)
    state = checkpoint.load(parent)
    old = Network(SIZES["b2c16"], first.game)
    old.load_state_dict(state["average"])
    batch = position(first.game)
    for a, b in zip(exactly(old, batch), exactly(deepcopy(first.learner.average.net).cpu(), batch)):
        torch.testing.assert_close(a, b, atol=1e-9, rtol=1e-9)
    first.run()
    with pytest.raises(Usage, match="a b4c32 net cannot grow to b2c16: it has blocks 4 and --size 2"):
        Trainer.start(config(size="b2c16"), runs, tmp_path / "back", tmp_path / "large" / "checkpoint.pt")
