"""Distillation: a larger network's outputs as part of the targets.

Reference: G. Hinton et al., "Distilling the Knowledge in a Neural Network",
arXiv:1503.02531 (at temperature 1).
"""

from __future__ import annotations

import torch

from carozero.samples.schema import Game, game_of_planes

from .errors import Usage
from .export import check_model, session
from .metrics import ILLEGAL


class Teacher:
    """An ONNX network that batches ask for its opinion, on one CPU thread. It reads
    their planes, or the first of them: one without history teaches one with it."""

    def __init__(self, path, share: float, game: Game):
        planes = check_model(path)["carozero.planes"]
        own = game_of_planes(planes)
        if own is None or own.name != game.name or own.planes != game.planes[: len(own.planes)]:
            raise Usage(f"--distill {path}: its planes are {planes}, want {game.planes_version}")
        self.session, self.share, self.planes = session(path), share, len(own.planes)

    def teach(self, batch: dict) -> dict:
        """Returns a batch whose policy and value targets are mixed with the
        teacher's, by its share. Rows without a policy target stay so."""
        inputs = {"planes": batch["planes"][:, : self.planes].float().numpy(), "globals": batch["globals"].numpy()}
        policy, value = map(torch.from_numpy, self.session.run(["policy", "value"], inputs))
        policy = policy.masked_fill(batch["legal"] == 0, ILLEGAL).softmax(1)
        told = batch["policy"].sum(1, keepdim=True) > 0
        return {
            **batch,
            "policy": torch.where(told, batch["policy"].lerp(policy, self.share), batch["policy"]),
            "value": batch["value"].lerp(value.softmax(1), self.share),
        }
