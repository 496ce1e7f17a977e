"""A line network with more channels that computes what a smaller one does, to the bit of
the integers that either is exported as.

The first half of a side's channels is mixed for the policy and the second is not, so the
old channels go into the same halves. Nobody reads the new ones yet: layers behind them
have weights of 0 for them, and the filters of the policy are generated with 0 for them.
What makes them is random.
"""

from __future__ import annotations

import torch

from ..errors import Usage
from .network import LineNetwork, LineSize
from .reference import EXTRAS, SCORES


def grow(weights: dict, small: LineSize, net: LineNetwork) -> None:
    """Gives an untrained network the weights of a smaller one. Usage says what keeps it
    from computing the same."""
    if small.channels > net.size.channels:
        raise Usage(f"it has {small.channels} channels and --size {net.size.channels}: want no less of anything")
    old = LineNetwork(small, net.game)
    old.load_state_dict(weights)
    few, many = small.channels, net.size.channels
    first = torch.arange(few // 2)
    place = torch.cat([first, many // 2 + first])  # which of many channels each of few becomes
    with torch.no_grad():
        mapping, larger = old.mapping.layers, net.mapping.layers
        for a, b in zip(mapping[:-1], larger[:-1]):
            b.load_state_dict(a.state_dict())
        larger[-1].weight[place], larger[-1].bias[place] = mapping[-1].weight, mapping[-1].bias
        for name in ("own", "other", "taps"):
            getattr(net, name)[:, place] = getattr(old, name)
        net.taps_bias[place] = old.taps_bias
        for name in ("value2", "value_out"):
            getattr(net, name).load_state_dict(getattr(old, name).state_dict())
        net.policy_out.copy_(old.policy_out)
        _reads(old.value1, net.value1, _repeated(place, 18, many))
        _reads(old.context, net.context, _repeated(place, 2, many))
        filters = torch.cat([_repeated(place, SCORES, many), SCORES * many + torch.arange(SCORES)])
        net.generate.weight.zero_()
        net.generate.bias.zero_()
        net.generate.weight[filters], net.generate.bias[filters] = old.generate.weight, old.generate.bias


def _repeated(place: torch.Tensor, times: int, many: int) -> torch.Tensor:
    """Returns the places in as many groups of channels, one behind the other."""
    return torch.cat([group * many + place for group in range(times)])


def _reads(a: torch.nn.Linear, b: torch.nn.Linear, places: torch.Tensor) -> None:
    """Copies a layer that reads channels, which went to places, and then the extras."""
    places = torch.cat([places, b.in_features - EXTRAS + torch.arange(EXTRAS)])
    b.weight.zero_()
    b.weight[:, places] = a.weight
    b.bias.copy_(a.bias)
