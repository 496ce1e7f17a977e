"""The planes of earlier boards, made from the games that a shard records.

Boards before the start of the game are empty. The slow way replays a game by the plain
rules; without captures the boards before follow from the present one, without the last
moves.
"""

from __future__ import annotations

import re

import numpy as np

from ..errors import DataError
from .schema import EARLIER, GOMOKU
from .shard import Shard

OWN, OPP = GOMOKU.planes.index("own"), GOMOKU.planes.index("opp")

_MOVE = re.compile(r"([a-v])([1-9][0-9]?)")


def planes(shard: Shard, index: np.ndarray) -> np.ndarray:
    """Returns packed planes [n, 2*EARLIER, bytes] of rows of a shard of gomoku: own_1,
    opp_1, own_2, ... as the side to move in the row sees them. Raises DataError where a
    row is not of its game."""
    game, ply = (shard.columns[name][index].astype(np.int64) for name in ("game", "ply"))
    moves = {g: cells(shard, g) for g in np.unique(game)}
    stones = np.unpackbits(
        shard.columns["planes"][index][:, [OWN, OPP]], axis=-1, count=shard.size**2
    )
    for row in np.flatnonzero(ply > [len(moves[g]) for g in game]):
        raise _foreign(shard, game[row])
    make = _replayed if shard.header["rule"].get("captures") else _retracted
    return np.packbits(make(shard, game, ply, moves, stones), axis=-1)


def cells(shard: Shard, game: int) -> np.ndarray:
    """Returns the cells of a game's moves."""
    record = shard.header["games"][game] if shard.header["games"] else {}
    text = record.get("moves")
    found = _MOVE.findall(text) if isinstance(text, str) else []
    at = [((ord(column) - ord("a")), int(row) - 1) for column, row in found]
    inside = all(max(x, y) < shard.size for x, y in at)
    if not isinstance(text, str) or not inside or "".join(map("".join, found)) != text:
        raise DataError(f"{shard.path}: the moves of game {record.get('id')} are not those of a game")
    return np.array([y * shard.size + x for x, y in at], np.int64)


def _foreign(shard: Shard, game: int) -> DataError:
    number = shard.header["games"][game]["id"]
    return DataError(f"{shard.path}: a row's stones are not those of game {number} at its ply")


def _retracted(shard: Shard, game, ply, moves: dict, stones: np.ndarray) -> np.ndarray:
    """Returns planes [n, 2*EARLIER, cells] of games without captures: `stones`
    [n, 2, cells], of the side to move first, without the last moves."""
    out = np.zeros((len(game), EARLIER, 2, stones.shape[-1]), np.uint8)
    before = stones.copy()
    for k in range(1, EARLIER + 1):
        rows = np.flatnonzero(ply >= k)
        last = np.array([moves[game[row]][ply[row] - k] for row in rows], np.int64)
        mover = k % 2
        for row in rows[before[rows, mover, last] != 1][:1]:
            raise _foreign(shard, game[row])
        before[rows, mover, last] = 0
        out[rows, k - 1] = before[rows]
    return out.reshape(len(game), 2 * EARLIER, -1)


def _replayed(shard: Shard, game, ply, moves: dict, stones: np.ndarray) -> np.ndarray:
    """Returns what _retracted does, by boards of replayed games, captures included."""
    out = np.zeros((len(game), EARLIER, 2, stones.shape[-1]), np.uint8)
    for g, played in moves.items():
        boards = replay(played, shard.size, True)
        for row in np.flatnonzero(game == g):
            now, side = ply[row], ply[row] % 2
            if (boards[now][[side, 1 - side]] != stones[row]).any():
                raise _foreign(shard, g)
            for k in range(1, min(EARLIER, now) + 1):
                out[row, k - 1] = boards[now - k][[side, 1 - side]]
    return out.reshape(len(game), 2 * EARLIER, -1)


def replay(played, size: int, captures: bool) -> np.ndarray:
    """Returns the boards [moves+1, 2, cells] of a game, before its first move and after
    each: the stones of the first side and of the second."""
    board = np.zeros((2, size, size), np.uint8)
    boards = [board.copy()]
    for i, cell in enumerate(played):
        mover, other = board[i % 2], board[1 - i % 2]
        y, x = divmod(int(cell), size)
        mover[y, x] = 1
        if captures:
            _take(mover, other, x, y, size)
        boards.append(board.copy())
    return np.array(boards).reshape(len(boards), 2, size * size)


def _take(mover: np.ndarray, other: np.ndarray, x: int, y: int, size: int) -> None:
    """Takes the pairs of the other side off that the stone at x, y encloses."""
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            far = (y + 3 * dy, x + 3 * dx)
            pair = [(y + dy, x + dx), (y + 2 * dy, x + 2 * dx)]
            if (dx, dy) == (0, 0) or not all(0 <= c < size for c in far):
                continue
            if mover[far] and all(other[c] for c in pair):
                for c in pair:
                    other[c] = 0
