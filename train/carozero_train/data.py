"""The rows that a run trains on."""

from __future__ import annotations

import hashlib
from pathlib import Path

from carozero.samples import shard
from carozero.samples.schema import GAMES, Game, game_named, game_of_planes

from .config import Config
from .errors import DataError, Usage


# The exponent of window_rows.
POWER = 0.65


def window_rows(rows: int, window: int) -> int:
    """Returns how many of so many rows are trained on: all up to `window`, then
    window * (rows/window)^POWER. A window of 0 has no end."""
    if window <= 0 or rows <= window:
        return rows
    return round(window * (rows / window) ** POWER)


def collect(directories: list, config: Config):
    """Returns the shards to train on, their game, the headers' rules and board sizes,
    and the rows for training. Every header is checked."""
    refs = [ref for directory in directories for ref in shard.manifest(directory)]
    window = window_rows(sum(ref.rows for ref in refs), config.window)
    refs = [ref for ref in shard.newest(refs, window) if ref.rows > ref.skip]
    found = shard.survey(directories, refs, config.check_sha256)
    rows = sum(ref.rows - ref.skip for ref in refs)
    if rows * (1 - config.val_fraction) < config.batch:
        raise DataError(
            f"{rows} rows, {config.val_fraction:.0%} of them for validation, are fewer than"
            f" a batch of {config.batch}: play more games or lower --batch"
        )
    return refs, found.game, found.rules, found.sizes, rows


def game_of(provenance: dict) -> Game:
    """Returns the game of a run or checkpoint."""
    planes = provenance.get("planes") or game_named(provenance["game"]).planes_version
    game = game_of_planes(planes)
    if game is None:
        known = " or ".join(each.planes_version for each in GAMES)
        raise DataError(f"the network reads planes {planes!r}, this trainer has {known}")
    return game


def data_digest(refs: list) -> str:
    """Returns a SHA-256 that names the rows trained on, in order."""
    digest = hashlib.sha256()
    for ref in refs:
        digest.update(f"{ref.sha256} {ref.skip}\n".encode())
    return digest.hexdigest()


def absolute(directories: list) -> list:
    """Returns the absolute paths of directories, each once."""
    return list(dict.fromkeys(str(Path(d).resolve()) for d in directories))


def grown(provenance: dict, refs: list, directories: list, config: Config) -> list:
    """Returns the shards that a run's directories and further ones have now,
    and brings the provenance up to date."""
    own = provenance.get("directories") or [Path(ref.path).parent for ref in refs]
    every = absolute([*own, *directories])
    found, game, rules, sizes, rows = collect(every, config)
    if game.name != provenance["game"]:
        raise DataError(f"the run is of {provenance['game']}, the shards are of {game.name}")
    provenance.update(
        directories=every,
        data_sha256=data_digest(found),
        rows=rows,
        rules=sorted(rules | set(provenance["rules"])),
        boards=sorted(sizes | set(provenance["boards"])),
    )
    return found
