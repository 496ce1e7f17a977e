"""Names and numbers of the sample files and models: what Go and Python share."""

from __future__ import annotations

from dataclasses import dataclass

FORMAT = "carozero-samples"
VERSION = 1


@dataclass(frozen=True)
class Game:
    """What the sample files and networks of one game look like.

    The policy has `policy_planes` logits a cell: action = plane*size**2 + cell.
    """

    name: str
    planes_version: str
    planes: tuple
    globals: tuple
    rules: tuple
    min_size: int
    max_size: int
    policy_planes: int = 1

    def actions(self, size: int) -> int:
        """Returns the number of actions on a board."""
        return self.policy_planes * size**2


GOMOKU = Game(
    name="gomoku",
    planes_version="gomoku-1",
    planes=(
        "board", "own", "opp", "forbidden", "five_own", "five_opp", "open_four_own",
        "open_four_opp", "four_own", "four_opp", "capturable_own", "capturable_opp",
    ),
    globals=(
        "exact_own", "exact_opp", "opp_blocks", "edge_blocks", "overline_free", "renju_own",
        "renju_opp", "double_three", "captures", "captured_own", "captured_opp", "fill", "size",
    ),
    rules=(
        "freestyle", "standard", "renju", "caro", "caro-overline", "caro-edge",
        "caro-edge-overline", "school42",
    ),
    min_size=5,
    max_size=22,
)

ONITAMA = Game(
    name="onitama",
    planes_version="onitama-2",
    planes=(
        "board", "own_students", "own_master", "opp_students", "opp_master", "own_temple",
        "opp_temple", "own_card_1", "own_card_2", "opp_card_1", "opp_card_2", "side_card",
    ),
    globals=("own_men", "opp_men"),
    rules=("onitama",),
    min_size=5,
    max_size=5,
    policy_planes=50,
)

GAMES = (GOMOKU, ONITAMA)


def game_named(name) -> Game | None:
    """Returns the game of that name, None if there is none."""
    return next((game for game in GAMES if game.name == name), None)


def game_of_planes(version) -> Game | None:
    """Returns the game whose input planes have that version, None if none has."""
    return next((game for game in GAMES if game.planes_version == version), None)


# Answer recorded in `reply` when the game ended before one.
NO_REPLY = 65535

# Plies ahead of the values that a net may learn beside the game's outcome.
HORIZONS = (4, 12)

# Value of `proven` for a root whose result is not proven.
UNPROVEN = 2

# Dimensions of a column: a number, or a name that is bound by the header or by
# the first column that uses it. "k" is the number of visited actions in all.
COLUMNS = {
    "planes": ("u1", ("rows", "planes", "bytes")),
    "globals": ("<f4", ("rows", "globals")),
    "legal": ("u1", ("rows", "action_bytes")),
    "visit_offsets": ("<u4", ("rows+1",)),
    "visit_actions": ("<u2", ("k",)),
    "visit_counts": ("<u4", ("k",)),
    "policy_target": ("<f4", ("k",)),
    "outcome": ("i1", ("rows",)),
    "root_q": ("<f4", ("rows",)),
    "net_q": ("<f4", ("rows",)),
    "played": ("<u2", ("rows",)),
    "reply": ("<u2", ("rows",)),
    "game": ("<u4", ("rows",)),
    "ply": ("<u2", ("rows",)),
    "plies_left": ("<u2", ("rows",)),
    "full_search": ("u1", ("rows",)),
    "proven": ("i1", ("rows",)),
    "weight": ("<f4", ("rows",)),
}
