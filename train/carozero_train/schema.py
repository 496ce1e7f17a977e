"""Names and numbers of the sample files and models: what Go and Python share."""

FORMAT = "carozero-samples"
VERSION = 1
GAME = "gomoku"
PLANES_VERSION = "gomoku-1"

PLANES = (
    "board",
    "own",
    "opp",
    "forbidden",
    "five_own",
    "five_opp",
    "open_four_own",
    "open_four_opp",
    "four_own",
    "four_opp",
    "capturable_own",
    "capturable_opp",
)

GLOBALS = (
    "exact_own",
    "exact_opp",
    "opp_blocks",
    "edge_blocks",
    "overline_free",
    "renju_own",
    "renju_opp",
    "double_three",
    "captures",
    "captured_own",
    "captured_opp",
    "fill",
    "size",
)

RULES = (
    "freestyle",
    "standard",
    "renju",
    "caro",
    "caro-overline",
    "caro-edge",
    "caro-edge-overline",
    "school42",
)

MIN_SIZE, MAX_SIZE = 5, 22

# Answer recorded in `reply` when the game ended before one.
NO_REPLY = 65535

# Value of `proven` for a root whose result is not proven.
UNPROVEN = 2

# Dimensions of a column: a number, or a name that is bound by the header or by
# the first column that uses it. "k" is the number of visited actions in all.
COLUMNS = {
    "planes": ("u1", ("rows", "planes", "bytes")),
    "globals": ("<f4", ("rows", "globals")),
    "legal": ("u1", ("rows", "bytes")),
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
