"""Sample shards: the manifest, the header and the columns of one file.

A run directory holds `manifest.jsonl` and shards `shard-NNNNNN.msgpack.zst`,
each a zstd stream of two msgpack objects: a header and a map of columns. A
shard that the manifest does not name does not exist.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import msgpack
import numpy as np
import zstandard

from ..errors import DataError
from .schema import COLUMNS, FORMAT, GAMES, NO_REPLY, UNPROVEN, VERSION, Game, game_named

MANIFEST, RUN = "manifest.jsonl", "run.json"

# The largest weight of a row; more of them than that would fill the memory.
MAX_WEIGHT = 1024


@dataclass(frozen=True)
class Ref:
    """A shard that a manifest names. `skip` rows at its start are out of use."""

    path: str
    rows: int
    sha256: str
    created: str
    skip: int = 0


@dataclass
class Shard:
    """A decoded shard: the header and the columns, which share its memory."""

    path: str
    header: dict
    columns: dict

    @property
    def rows(self) -> int:
        return self.header["rows"]

    @property
    def game(self) -> Game:
        return known(self.header["game"])

    @property
    def size(self) -> int:
        return self.header["size"]


def known(name: str) -> Game:
    """Returns the game of a header that was checked."""
    game = game_named(name)
    assert game is not None
    return game


def manifest(directory) -> list:
    """Returns the Refs of a run directory in the manifest's order, none for a
    run that has not finished a shard yet."""
    path = Path(directory) / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if (path.parent / RUN).exists():
            return []
        raise DataError(f"{path}: not found; want a directory written by selfplay") from None
    except (OSError, UnicodeDecodeError) as err:
        raise DataError(f"{path}: {err}") from None
    lines = text.split("\n")
    if lines[-1]:
        lines.pop()  # a line that was never finished names no shard
    refs = [_entry(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if len({ref.path for ref in refs}) < len(refs):
        raise DataError(f"{path}: a shard is listed twice")
    return refs


def _entry(path: Path, number: int, line: str) -> Ref:
    try:
        entry = json.loads(line)
        name, rows = entry["file"], int(entry["rows"])
        if not isinstance(name, str):
            raise TypeError(f"file is {name!r}")
        digest, created = str(entry["sha256"]), str(entry.get("created", ""))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as err:
        raise DataError(f"{path}: line {number}: no manifest entry ({err})") from None
    if Path(name).name != name or name in ("", "..") or not name.isprintable() or rows < 0:
        raise DataError(f"{path}: line {number}: want a plain file name and rows >= 0")
    return Ref(str(path.parent / name), rows, digest, created)


def newest(refs: list, window: int) -> list:
    """Returns the newest `window` rows (0: all), oldest shard first. Shards are
    ordered by `created`, then as given; the oldest one kept may lose rows at
    its start."""
    refs = sorted(refs, key=lambda ref: ref.created)
    if window <= 0:
        return refs
    kept, room = [], window
    for ref in reversed(refs):
        if room <= 0:
            break
        kept.append(Ref(ref.path, ref.rows, ref.sha256, ref.created, max(0, ref.rows - room)))
        room -= ref.rows
    return kept[::-1]


def digest(*parts: bytes) -> str:
    """Returns the SHA-256 of some bytes, one after the other."""
    sha = hashlib.sha256()
    for part in parts:
        sha.update(part)
    return sha.hexdigest()


def check_sha256(ref: Ref) -> None:
    """Raises DataError unless the file's bytes are those of the manifest."""
    try:
        found = digest(Path(ref.path).read_bytes())
    except OSError as err:
        raise DataError(f"{ref.path}: {err.strerror}") from None
    if found != ref.sha256:
        raise DataError(f"{ref.path}: sha256 is {found}, manifest has {ref.sha256}")


def origin(game: dict) -> int:
    """Returns the id of the game that a game forks from, its own if it does not."""
    return game["fork"]["of"] if "fork" in game else game["id"]


def read_header(ref: Ref) -> dict:
    """Returns the checked header of a shard without reading its columns."""
    return _read(ref, False)[0]


def read(ref: Ref) -> Shard:
    """Returns the decoded and checked shard."""
    header, columns = _read(ref, True)
    return Shard(ref.path, header, decode_columns(ref.path, header, columns))


@dataclass
class Survey:
    """What some shards hold: their game, and the rule sets and board sizes that occur."""

    game: Game
    rules: set
    sizes: set


def survey(paths, refs: list, check: bool = False) -> Survey:
    """Reads the headers of the shards of some runs; with check it compares their SHA-256
    first. Raises DataError if there are none, or if they are of several games."""
    games: dict = {}
    rules, sizes = set(), set()
    for ref in refs:
        if check:
            check_sha256(ref)
        header = read_header(ref)
        games.setdefault(header["game"], ref.path)
        rules.add(header["rule"]["name"])
        sizes.add(header["size"])
    if not games:
        raise DataError(f"{', '.join(map(str, paths))}: no rows in finished shards")
    if len(games) > 1:
        found = " and ".join(f"{path} of {name}" for name, path in games.items())
        raise DataError(f"want runs of one game, but there are {found}")
    return Survey(known(*games), rules, sizes)


def _read(ref: Ref, columns: bool) -> tuple:
    """Returns the header, checked, and the columns if they are wanted."""
    try:
        with open(ref.path, "rb") as file:
            stream = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            unpacker = msgpack.Unpacker(stream, raw=False, max_buffer_size=2**31 - 1)
            header = unpacker.unpack()
            check_header(ref, header)
            return header, unpacker.unpack() if columns else {}
    except FileNotFoundError:
        raise DataError(f"{ref.path}: named in the manifest but missing") from None
    except msgpack.OutOfData:
        raise DataError(f"{ref.path}: corrupted: ends early") from None
    except DataError:
        raise
    except (zstandard.ZstdError, msgpack.UnpackException, ValueError, TypeError, OSError, RecursionError) as err:
        text = " ".join(str(err).split())
        raise DataError(f"{ref.path}: corrupted: {text or type(err).__name__}") from None


def check_header(ref: Ref, header) -> None:
    """Raises DataError unless this trainer reads shards with such a header."""

    def want(name, got, expected):
        if got != expected:
            raise DataError(f"{ref.path}: {name} is {got!r}, want {expected!r}")

    if not isinstance(header, dict):
        raise DataError(f"{ref.path}: corrupted: the header is no map")
    want("format", header.get("format"), FORMAT)
    want("version", header.get("version"), VERSION)
    game = game_named(header.get("game"))
    if game is None:
        known = " or ".join(game.name for game in GAMES)
        raise DataError(f"{ref.path}: game is {header.get('game')!r}, want {known}")
    try:
        planes = header["planes"]
        want("planes.version", planes["version"], game.planes_version)
        want("planes.names", tuple(planes["names"]), game.planes)
        want("globals", tuple(header["globals"]), game.globals)
        want("rows", header["rows"], ref.rows)
        size, games, seed, _ = header["size"], header["games"], header["seed"], header["rule"]["name"]
        ids = [*(game["id"] for game in games), *map(origin, games)]
        numbers = [size, seed, *ids]
    except (KeyError, TypeError) as err:
        raise DataError(f"{ref.path}: the header lacks or misuses {err}") from None
    if not all(isinstance(n, int) for n in numbers) or min(ids, default=0) < 0:
        raise DataError(f"{ref.path}: size, seed and game ids must be integers, ids >= 0")
    if not game.min_size <= size <= game.max_size:
        raise DataError(f"{ref.path}: size is {size}, want {game.min_size}..{game.max_size}")


def decode_columns(path: str, header: dict, columns) -> dict:
    """Returns name -> array for every column of the contract, checked."""
    game = known(header["game"])
    actions = game.actions(header["size"])
    dims = {
        "rows": header["rows"],
        "rows+1": header["rows"] + 1,
        "planes": len(game.planes),
        "globals": len(game.globals),
        "bytes": (header["size"] ** 2 + 7) // 8,
        "action_bytes": (actions + 7) // 8,
    }
    if not isinstance(columns, dict):
        raise DataError(f"{path}: corrupted: the columns are no map")
    out = {name: _column(path, name, columns.get(name), np.dtype(kind), shape, dims) for name, (kind, shape) in COLUMNS.items()}
    _check_values(path, header, actions, out)
    return out


def _column(path, name, column, dtype, shape, dims) -> np.ndarray:
    try:
        got_dtype, got_shape = np.dtype(column["dtype"]), tuple(column["shape"])
        want_shape = tuple(dims.setdefault(dim, got) for dim, got in zip(shape, got_shape))
        if got_dtype != dtype or len(got_shape) != len(shape) or got_shape != want_shape:
            found, wanted = f"{got_dtype.str} {list(got_shape)}", f"{dtype.str} {list(want_shape)}"
            raise DataError(f"{path}: column {name} is {found}, want {wanted}")
        return np.frombuffer(column["data"], got_dtype).reshape(got_shape)
    except (KeyError, TypeError, ValueError) as err:
        raise DataError(f"{path}: column {name} is missing or broken ({err})") from None


def _check_values(path: str, header: dict, count: int, columns: dict) -> None:
    """Raises DataError where an index or number is out of its range."""

    def check(ok, text):
        if not ok:
            raise DataError(f"{path}: corrupted: {text}")

    offsets, actions = columns["visit_offsets"], columns["visit_actions"]
    check(offsets[0] == 0 and offsets[-1] == len(actions), "visit_offsets do not span the visits")
    check((offsets[1:] >= offsets[:-1]).all(), "visit_offsets fall")
    check((actions < count).all(), "a visit action is off the board")
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets.astype(np.int64)))
    bits = columns["legal"][row, actions >> 3] >> (7 - (actions & 7))
    check((bits & 1).all(), "a visit action is not legal")
    check(((actions[1:] > actions[:-1]) | (row[1:] != row[:-1])).all(), "visit actions do not ascend")
    check((columns["game"] < max(len(header["games"]), 1)).all(), "a game index is out of range")
    check((np.abs(columns["outcome"].astype(np.int16)) <= 1).all(), "an outcome is not -1, 0 or 1")
    reply, proven = columns["reply"], columns["proven"]
    check(((reply < count) | (reply == NO_REPLY)).all(), "a reply is off the board")
    check((columns["played"] < count).all(), "an action played is off the board")
    check(((proven >= -1) & (proven <= UNPROVEN)).all(), "a row's proven is not -1, 0, 1 or 2")
    for name in ("globals", "policy_target", "root_q", "weight"):
        check(np.isfinite(columns[name]).all(), f"{name} has a value that is not finite")
    for name in ("policy_target", "weight"):
        check((columns[name] >= 0).all(), f"{name} has a negative value")
    check((columns["weight"] <= MAX_WEIGHT).all(), f"a weight is more than {MAX_WEIGHT}")
