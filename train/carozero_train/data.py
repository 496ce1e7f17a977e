"""The rows that a run trains on, and what its checkpoint records of them."""

from __future__ import annotations

from pathlib import Path

from carozero.samples import shard
from carozero.samples.schema import GAMES, Game, game_named, game_of_planes

from .config import Config
from .errors import DataError

# The exponent of window_rows.
POWER = 0.65


def window_rows(rows: int, window: int) -> int:
    """Returns how many of so many rows are trained on: all up to `window`, then
    window * (rows/window)^POWER. A window of 0 has no end."""
    if window <= 0 or rows <= window:
        return rows
    return round(window * (rows / window) ** POWER)


def collect(directories: list, config: Config) -> tuple:
    """Returns the shards to train on, and their provenance: directories, game, rule sets,
    board sizes, rows, digest. Every header is checked."""
    directories = list(dict.fromkeys(str(Path(d).resolve()) for d in directories))
    refs = [ref for directory in directories for ref in shard.manifest(directory)]
    window = window_rows(sum(ref.rows for ref in refs), config.window)
    refs = [ref for ref in shard.newest(refs, window) if ref.rows > ref.skip]
    found = shard.survey(directories, refs, config.check_sha256)
    rows = sum(ref.rows - ref.skip for ref in refs)
    if rows * (1 - config.val_fraction) < config.batch:
        few = f"{rows} rows, {config.val_fraction:.0%} of them for validation"
        raise DataError(f"{few}, are fewer than a batch of {config.batch}: play more games or lower --batch")
    return refs, {
        "game": found.game.name,
        "planes": found.game.planes_version,
        "directories": directories,
        "data_sha256": data_digest(refs),
        "rows": rows,
        "rules": sorted(found.rules),
        "boards": sorted(found.sizes),
    }


def game_of(provenance: dict) -> Game:
    """Returns the game of a run or checkpoint."""
    planes = provenance.get("planes") or game_named(provenance["game"]).planes_version
    game = game_of_planes(planes)
    if game is None:
        raise DataError(f"the network reads planes {planes!r}: want {' or '.join(g.planes_version for g in GAMES)}")
    return game


def data_digest(refs: list) -> str:
    """Returns a SHA-256 that names the rows trained on, in order."""
    return shard.digest(*(f"{ref.sha256} {ref.skip}\n".encode() for ref in refs))


def join(new: dict, old: dict) -> dict:
    """Returns new provenance with the rule sets and board sizes of old one too."""
    return {**new, **{name: sorted({*new[name], *old[name]}) for name in ("rules", "boards")}}


def grown(provenance: dict, refs: list, directories: list, config: Config) -> tuple:
    """Returns the shards that a run's directories and further ones have now, and the
    provenance with them."""
    own = provenance.get("directories") or [Path(ref.path).parent for ref in refs]
    found, now = collect([*own, *directories], config)
    if now["game"] != provenance["game"]:
        raise DataError(f"the run is of {provenance['game']}, the shards are of {now['game']}")
    return found, {**provenance, **join(now, provenance)}
