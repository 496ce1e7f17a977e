"""What the engine answers, as docs/analysis.md describes it, with types.

Rates are in 0..1, a draw counting as half a win; utilities are in -1..1. Both are
for the side to move, unless the engine was started or asked to show them otherwise.
Players are "B", who moves first, and "W".
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple, Union

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Proof:
    """An end of the game that is known: proven, or claimed by the classical search."""

    result: str  # "win", "loss" or "draw", for the side to move
    winner: str  # "B", "W" or "none"
    plies: int
    line: Tuple[str, ...] = ()

    @classmethod
    def read(cls, of: Optional[Dict[str, Any]]) -> Optional[Proof]:
        return cls(of["result"], of["winner"], of["plies"], tuple(of.get("line", ()))) if of else None


@dataclass(frozen=True)
class Outcome:
    """How a game ended."""

    winner: str  # "B", "W" or "none"
    reason: str

    @classmethod
    def read(cls, of: Optional[Dict[str, Any]]) -> Optional[Outcome]:
        return cls(of["winner"], of["reason"]) if of else None


@dataclass(frozen=True)
class MoveInfo:
    """What an engine says of a move."""

    move: str
    order: int  # 0 for the best
    visits: int
    winrate: float
    lcb: float  # two standard errors below winrate; may be outside 0..1
    utility: float
    prior: float
    pv: Tuple[str, ...]
    pv_visits: Tuple[int, ...] = ()
    proven: Optional[Proof] = None
    claim: Optional[Proof] = None
    score: Optional[int] = None  # of the classical search
    depth: int = 0

    @classmethod
    def read(cls, of: Dict[str, Any]) -> MoveInfo:
        return cls(
            of["move"], of["order"], of["visits"], float(of["winrate"]), float(of["lcb"]), float(of["utility"]), float(of["prior"]), tuple(of["pv"]),
            tuple(of.get("pvVisits", ())), Proof.read(of.get("proven")), Proof.read(of.get("claim")),
            of.get("score"), of.get("depth", 0),
        )


@dataclass(frozen=True)
class RootInfo:
    """What an engine says of the position, and its effort."""

    engine: str
    player: str  # to move
    hash: str
    visits: int
    winrate: float
    lcb: float
    utility: float
    nodes: int  # playouts, or moves that the classical search played
    evals: int  # positions given to a network
    depth: int
    sel_depth: int
    model: str = ""
    raw_winrate: Optional[float] = None  # of the network alone
    proven: Optional[Proof] = None
    claim: Optional[Proof] = None
    choice: str = ""  # of a level
    memory_full: bool = False

    @classmethod
    def read(cls, of: Dict[str, Any]) -> RootInfo:
        raw = of.get("rawWinrate")
        return cls(
            of["engine"], of["currentPlayer"], of["thisHash"], of["visits"], float(of["winrate"]), float(of["lcb"]), float(of["utility"]),
            of["nodes"], of["evals"], of["depth"], of["selDepth"], of.get("model", ""), None if raw is None else float(raw),
            Proof.read(of.get("proven")), Proof.read(of.get("claim")), of.get("choice", ""), of.get("memoryFull", False),
        )


@dataclass(frozen=True)
class Opinion:
    """What one engine says: the moves, best first, and the position."""

    moves: Tuple[MoveInfo, ...]
    root: RootInfo

    @classmethod
    def read(cls, of: Optional[Dict[str, Any]]) -> Optional[Opinion]:
        if not of or "rootInfo" not in of:
            return None
        return cls(tuple(MoveInfo.read(m) for m in of["moveInfos"]), RootInfo.read(of["rootInfo"]))


@dataclass(frozen=True)
class Analysis:
    """What is known of a position. Where the game is over there are no moves, and
    outcome says how it ended."""

    during_search: bool
    moves: Tuple[MoveInfo, ...] = ()
    root: Optional[RootInfo] = None
    outcome: Optional[Outcome] = None
    shortened: bool = False
    policy: Union[Tuple[float, ...], Dict[str, float], None] = None
    alphabeta: Optional[Opinion] = None
    verdict: Optional[Dict[str, Any]] = None
    threats: Optional[Dict[str, Any]] = None
    warnings: Tuple[str, ...] = ()
    raw: Dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def best(self) -> str:
        """The best move, "" where the game is over."""
        return self.moves[0].move if self.moves else ""

    @classmethod
    def read(cls, of: Dict[str, Any], warnings: Tuple[str, ...] = ()) -> Analysis:
        opinion, policy = Opinion.read(of), of.get("policy")
        return cls(
            of["isDuringSearch"], opinion.moves if opinion else (), opinion.root if opinion else None, Outcome.read(of.get("outcome")),
            of.get("shortened", False), tuple(policy) if isinstance(policy, list) else policy, Opinion.read(of.get("alphabeta")),
            of.get("verdict"), of.get("threats"), warnings, of,
        )


@dataclass(frozen=True)
class Inputs:
    """What a network reads of a position, as samples have it."""

    version: str  # of the planes
    shape: Tuple[int, int, int]  # planes, rows, columns
    planes: bytes  # each plane's bits, most significant first, filled up to whole bytes
    globals: Tuple[float, ...]
    actions: Dict[str, int]  # of the legal moves: indexes into the policy
    policy: int  # its size

    def arrays(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns planes u1 [planes, rows, columns], globals f4 [globals] and legal u1 [policy]."""
        import numpy

        planes, rows, columns = self.shape
        packed = numpy.frombuffer(self.planes, numpy.uint8).reshape(planes, -1)
        bits = numpy.unpackbits(packed, axis=1, count=rows * columns).reshape(self.shape)
        legal = numpy.zeros(self.policy, numpy.uint8)
        legal[list(self.actions.values())] = 1
        return bits, numpy.array(self.globals, numpy.float32), legal

    @classmethod
    def read(cls, of: Optional[Dict[str, Any]]) -> Optional[Inputs]:
        if not of:
            return None
        planes, rows, columns = of["shape"]
        actions = dict(zip(of["moves"], of["actions"]))
        return cls(of["version"], (planes, rows, columns), base64.b64decode(of["planes"]), tuple(map(float, of["globals"])), actions, of["policy"])


@dataclass(frozen=True)
class Position:
    """What there is to see at a turn of a game."""

    turn: int
    player: str  # to move
    ply: int
    stones: Tuple[Tuple[str, str], ...]  # player and point, in order of play
    numbers: Tuple[int, ...]  # of the stones' moves, 0 at turn 0
    forbidden: Tuple[Tuple[str, Tuple[str, ...]], ...]  # point and kinds
    legal: Optional[Tuple[str, ...]]  # None: every empty point that is not forbidden
    hash: str
    captured: Optional[Tuple[int, int]] = None
    last_move: str = ""
    taken: Tuple[str, ...] = ()
    outcome: Optional[Outcome] = None
    line: Tuple[str, ...] = ()
    pieces: Tuple[Tuple[str, str, str], ...] = ()  # player, kind and square
    cards: Optional[Dict[str, Any]] = None
    text: str = ""
    inputs: Optional[Inputs] = None

    @classmethod
    def read(cls, of: Dict[str, Any]) -> Position:
        legal, captured = of["legal"], of.get("captured")
        return cls(
            of["turnNumber"], of["currentPlayer"], of["ply"], tuple((p, m) for p, m in of["stones"]), tuple(of["numbers"]),
            tuple((f["point"], tuple(f["kinds"])) for f in of["forbidden"]), None if legal is None else tuple(legal), of["hash"],
            (captured[0], captured[1]) if captured else None, of.get("lastMove", ""), tuple(of.get("taken", ())), Outcome.read(of.get("outcome")),
            tuple(of.get("line", ())), tuple((p, k, s) for p, k, s in of.get("pieces", ())), of.get("cards"), of.get("text", ""),
            Inputs.read(of.get("inputs")),
        )


@dataclass(frozen=True)
class Opening:
    """Random moves after which neither side stands better by much."""

    moves: Tuple[str, ...]
    value: float  # in -1..1, for the side to move after it


@dataclass(frozen=True)
class Model:
    """A network that is open; sha256 is "" for the uniform one."""

    name: str
    sha256: str
