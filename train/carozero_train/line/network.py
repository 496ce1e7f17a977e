"""The line network in training: what `reference` computes, in numbers with gradients.

    mapping   a network of three layers turns each line of eleven cells, read either
              way, into K channels; a batch has few lines that differ, and each is
              mapped once. Played, it is a table of all lines
    codes     two embeddings: what a stone of this side and of the other makes there
    features  their sum for each side, within 0..127/32
    heads     see reference; the last layer of the policy is made by the context

Where the integers are coarse, training rounds as they do: tables, features and the
convolution are rounded to the integers' steps (the gradient passes as if they were not),
and every weight is kept within its bound. All other integers are fine enough that
training need not round.

References:
  [MIX]  The Mixnet of Rapfi, arXiv:2503.13178: lines in a table, means of ninths,
         generated policy weights.
  [INT]  B. Jacob et al., "Quantization and Training of Neural Networks for
         Efficient Integer-Arithmetic-Only Inference", arXiv:1712.05877.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from carozero.samples.schema import GOMOKU, Game

from .layers import TABLE, TOP, Lookup, Mapping, bounded, clamped, numbered, read, rounded
from .lines import CODES, Lines
from .reference import EXTRAS, FEATURE, HIDDEN, INPUT, SCORE, SCORES, UNIT

# Numbers of the engine that make 1.
MEAN, WEIGHT, TAP, TAP_SUM, LAST = 2048, 1024, 64, 2048, 256
LAYER = MEAN * WEIGHT

# Largest values of hidden units, scores, weights and biases of scores.
UNIT_TOP, SCORE_TOP = UNIT / MEAN, SCORE / 128
WEIGHT_TOP, BIAS_TOP = 32767 / WEIGHT, 512.0

# What the heads read is multiplied first, for means are small and learn slowly;
# the weights that are exported have it.
MEAN_SCALE, EXTRA_SCALE = 8.0, 4.0


@dataclass(frozen=True)
class LineSize:
    """Shape of a line network: channels for each side."""

    channels: int
    head_filters: int = SCORES
    value_hidden: int = HIDDEN


class LineNetwork(nn.Module):
    """Policy and value of a batch of positions of gomoku, see architecture.py."""

    def __init__(self, size: LineSize, game: Game = GOMOKU):
        super().__init__()
        self.size, self.game = size, game
        k = size.channels
        self.mapping = Mapping(k)
        self.own = nn.Parameter(torch.randn(CODES, k) * 0.4)
        self.other = nn.Parameter(torch.randn(CODES, k) * 0.4)
        self.taps = nn.Parameter(torch.randn(9, k) * 0.3)
        self.taps_bias = nn.Parameter(torch.zeros(k))
        self.value1 = nn.Linear(18 * k + EXTRAS, HIDDEN)
        self.value2 = nn.Linear(HIDDEN, HIDDEN)
        self.value_out = nn.Linear(HIDDEN, 3)
        self.context = nn.Linear(2 * k + EXTRAS, HIDDEN)
        self.generate = nn.Linear(HIDDEN, SCORES * k + SCORES)
        self.policy_out = nn.Parameter(torch.randn(SCORES) * 0.2)
        nn.init.normal_(self.generate.weight, std=0.04)
        nn.init.normal_(self.generate.bias, std=0.2)
        nn.init.normal_(self.value_out.weight, std=0.2 / HIDDEN**0.5)
        nn.init.zeros_(self.value_out.bias)

    # What is exported: weights within their bounds, in the scale of the engine.

    def first_layer(self, layer: nn.Linear):
        """Returns weights and biases of a layer that reads means and extras."""
        scale = torch.full((layer.in_features,), MEAN_SCALE, device=layer.weight.device)
        scale[-EXTRAS:] = EXTRA_SCALE
        weights = (layer.weight * scale).clamp(-WEIGHT_TOP, WEIGHT_TOP)
        return bounded(weights, layer.bias, INPUT / MEAN, 2**31 / LAYER)

    def layer(self, layer: nn.Linear):
        """Returns weights and biases of a layer that reads hidden units."""
        weights = layer.weight.clamp(-WEIGHT_TOP, WEIGHT_TOP)
        return bounded(weights, layer.bias, UNIT_TOP, 2**31 / LAYER)

    def convolution(self):
        """Returns the taps [9, k] and biases [k] of the convolution, rounded."""
        # Rounding can add half a step to each of nine taps.
        bound = (32767 - 9 * FEATURE / 2 - TAP) / TAP_SUM
        taps, biases = bounded(self.taps.t(), self.taps_bias, TOP, bound)
        return rounded(taps.t(), TAP), rounded(biases, TAP_SUM)

    def embeddings(self):
        """Returns both embeddings [CODES, k], rounded."""
        return [rounded(e.clamp(-TOP, TOP), TABLE) for e in (self.own, self.other)]

    def last(self) -> Tensor:
        """Returns the weights [SCORES] of the scores."""
        return self.policy_out.clamp(-32767 / LAST, 32767 / LAST)

    def features(self, planes: Tensor, scalars: Tensor):
        """Returns what the last layers read: the policy's scores [n, SCORES, h, w]
        and the value's hidden units [n, HIDDEN]."""
        lines = Lines(planes[:, :3].cpu().numpy(), scalars.cpu().numpy())
        return self.heads(self.cells(lines, planes.device), planes, scalars)

    def cells(self, lines: Lines, device) -> Tensor:
        """Returns the features [2, n, cells, k]."""
        unique, index = numbered(lines.rows)
        table = self.mapping(torch.from_numpy(unique).to(device))
        nothing = table.new_zeros(1, table.shape[1])
        own, other = self.embeddings()
        start = len(unique)
        first = lines.codes + start
        second = lines.codes[::-1] + (start + CODES + 1)
        index = np.concatenate([np.swapaxes(index, 0, 1), first[None], second[None]])
        index = torch.from_numpy(index.reshape(6, -1)).to(device)
        table = torch.cat([table, own, nothing, other, nothing])
        return clamped(Lookup.apply(table, index), 0, TOP).view(*lines.codes.shape, -1)

    def heads(self, cells: Tensor, planes: Tensor, scalars: Tensor):
        """Returns features() from the features of the cells [2, n, cells, k]."""
        n, _, h, w = planes.shape
        with torch.autocast(planes.device.type, enabled=False):
            extra = extras(planes, scalars) * EXTRA_SCALE
            sums, areas, halves = read(cells.view(2, n, h, w, -1))
            means = (sums / areas * MEAN_SCALE).permute(1, 2, 0, 3).flatten(1)
            value = self._value(torch.cat([means, extra], 1))
            whole = (sums.sum(2) / (h * w) * MEAN_SCALE).transpose(0, 1).flatten(1)
            weights, biases = self._generated(torch.cat([whole, extra], 1))
            v = self._convolved(halves).flatten(2)
        # Mixed precision takes a third of the time here, but adds to the loss judged by.
        with nullcontext() if self.training else torch.autocast(planes.device.type, enabled=False):
            scores = weights @ v
        scores = F.leaky_relu(scores.float() + biases[:, :, None], 1 / 8)
        scores = clamped(scores, -SCORE_TOP, SCORE_TOP)
        return scores.view(n, SCORES, h, w), value

    def _value(self, x: Tensor) -> Tensor:
        a1 = self._first(self.value1, x).clamp(0, UNIT_TOP)
        return F.linear(a1, *self.layer(self.value2)).clamp(0, UNIT_TOP)

    def _first(self, layer: nn.Linear, x: Tensor) -> Tensor:
        weights, biases = self.first_layer(layer)
        scale = weights.new_full((layer.in_features,), 1 / MEAN_SCALE)
        scale[-EXTRAS:] = 1 / EXTRA_SCALE
        return F.linear(x, weights * scale, biases)

    def _generated(self, x: Tensor):
        """Returns weights [n, SCORES, k] and biases [n, SCORES] of the scores."""
        k = self.size.channels
        h = self._first(self.context, x).clamp(0, UNIT_TOP)
        z = F.linear(h, *self.layer(self.generate))
        weights = z[:, : SCORES * k].clamp(-WEIGHT_TOP, WEIGHT_TOP)
        biases = z[:, SCORES * k :].clamp(-BIAS_TOP, BIAS_TOP)
        return weights.view(-1, SCORES, k), biases

    def _convolved(self, halves: Tensor) -> Tensor:
        """Returns v [n, k, h, w] of half of either side's channels [n, h, w, k]."""
        k = self.size.channels
        taps, biases = self.convolution()
        kernel = taps.t().reshape(k, 1, 3, 3)
        v = F.conv2d(halves.permute(0, 3, 1, 2), kernel, biases, padding=1, groups=k)
        return rounded(clamped(v, 0, TOP), TABLE)

    def outputs(self, features):
        """Returns the policy's and the value's logits from features()."""
        scores, value = features
        with torch.autocast(value.device.type, enabled=False):
            policy = torch.einsum("p,nphw->nhw", self.last(), scores).flatten(1)
            return policy, F.linear(value, *self.layer(self.value_out))

    def forward(self, planes: Tensor, scalars: Tensor):
        return self.outputs(self.features(planes, scalars))


def extras(planes: Tensor, scalars: Tensor) -> Tensor:
    """Returns the further inputs [n, EXTRAS]: twice the share of cells with stones,
    and an eighth of the stones that either side has captured."""
    stones = 2 * planes[:, 1:3].sum(1).flatten(1).mean(1, keepdim=True)
    place = GOMOKU.globals.index("captured_own")
    captured = scalars[:, place : place + 2] * (10 / 8)
    return F.pad(torch.cat([stones, captured], 1), (0, EXTRAS - 3))
