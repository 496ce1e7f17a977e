"""What can be asked of the engine: the fields of docs/analysis.md under Python's names."""

from __future__ import annotations

import re
from typing import Any, Dict, Sequence, Tuple, TypedDict, Union

Moves = Sequence[Union[str, Tuple[str, str]]]


class Game(TypedDict, total=False):
    """A game; what is left out is caro on 15x15 from the empty board."""

    rules: Union[str, Dict[str, Any]]
    size: int
    game: str  # "gomoku" or "onitama"
    position: str  # turn 0 as text: "h8i9", or a deal of Onitama and its moves
    stones: Sequence[Tuple[str, str]]  # at turn 0: player and point
    player: str  # who moves first
    captured: Tuple[int, int]


class Query(Game, total=False):
    """A game, and how its last position is searched."""

    engine: str  # "mcts", "alphabeta" or "each"
    visits: int
    nodes: int
    depth: int
    lines: int
    level: str
    seed: int
    seconds: float  # such a search is not reproducible
    settings: Dict[str, Any]
    avoid: Sequence[Dict[str, Any]]
    allow: Sequence[Dict[str, Any]]
    policy: bool
    threats: bool
    pv_visits: bool
    pv_length: int
    report_every: float  # seconds between reports during the search
    priority: int


GAME = {
    "rules": "rules",
    "game": "game",
    "position": "initialPosition",
    "stones": "initialStones",
    "player": "initialPlayer",
    "captured": "captured",
}

SEARCH = {
    "engine": "engine",
    "visits": "maxVisits",
    "nodes": "maxNodes",
    "depth": "maxDepth",
    "lines": "lines",
    "level": "level",
    "seed": "seed",
    "settings": "overrideSettings",
    "avoid": "avoidMoves",
    "allow": "allowMoves",
    "policy": "includePolicy",
    "threats": "includeThreats",
    "pv_visits": "includePVVisits",
    "pv_length": "analysisPVLen",
    "report_every": "reportDuringSearchEvery",
    "priority": "priority",
}


def listed(moves: Union[str, Moves]) -> Moves:
    """Returns a list of moves; as one text they are points of the board."""
    if not isinstance(moves, str):
        return moves
    points = re.findall(r"[a-zA-Z]\d+", moves)
    if "".join(points) != "".join(moves.split()):
        raise ValueError(f"moves {moves!r}: want points, as in 'h8i9', or a list of moves")
    return points


def line(moves: Union[str, Moves], known: Dict[str, str], given: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the fields of a query. moves are a list, or one text: "h8i9j7"."""
    given = {name: value for name, value in given.items() if value is not None}
    out: Dict[str, Any] = {"moves": [m if isinstance(m, str) else list(m) for m in listed(moves)]}
    if "size" in given:
        out["boardXSize"] = out["boardYSize"] = given.pop("size")
    if "seconds" in given and known is not GAME:
        given["settings"] = {**given.get("settings", {}), "maxTime": given.pop("seconds")}
    for name, value in given.items():
        if name not in known:
            raise TypeError(f"unknown field {name!r}: want one of {', '.join(sorted([*known, 'size']))}")
        out[known[name]] = value
    return out
