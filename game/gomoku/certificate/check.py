"""Checks certificates of wins and draws: python3 check.py FILE... Prints a line for each;
the exit status is 0 if all of them hold, else 1. Written from FORMAT.md beside it and the
text of the rules alone, in plain Python 3.9 or later."""

import hashlib
import re
import sys

MAGIC = (b"carozero certificate 1\n", b"carozero certificate 2\n")
MAX_HEADER, MAX_NODES = 4096, 2_000_000
EMPTY, EDGE = 0, 3  # the stones of side 0 and 1 are 1 and 2
SIDES = ("first", "second")
PAIRS = {"none": (0, 0), "first": (1, 0), "second": (0, 1), "both": (1, 1)}
#        exact, blocked, overline-free, renju, double-three, captures
KNOWN = {
    "freestyle": ("none", "none", "no", "none", "no", "no"),
    "standard": ("both", "none", "no", "none", "no", "no"),
    "renju": ("first", "none", "no", "first", "no", "no"),
    "caro": ("both", "opponent", "no", "none", "no", "no"),
    "caro-overline": ("none", "opponent", "yes", "none", "no", "no"),
    "caro-edge": ("both", "edge", "no", "none", "no", "no"),
    "caro-edge-overline": ("none", "edge", "yes", "none", "no", "no"),
    "school42": ("none", "none", "no", "none", "yes", "yes"),
}


class Refused(Exception):
    """The file proves nothing; the text says why, in one line."""


def members(word):
    """The places of a set in ascending order."""
    while word:
        yield (word & -word).bit_length() - 1
        word &= word - 1


class Board:
    """A position. Cells are places in a list with an edge; a side's stones are also a set of bits."""

    def __init__(self, words, distance, size):
        exact, blocked, free, renju, three, captures = words
        self.exact, self.renju, self.distance = PAIRS[exact], PAIRS[renju], distance
        self.blocked, self.edge = blocked != "none", blocked == "edge"
        self.three, self.captures = three == "yes", captures == "yes"
        if (
            free == "yes" and (not self.blocked or exact != "none") or self.blocked and free == "no" and exact != "both"
            or any(r > e for r, e in zip(self.renju, self.exact)) or renju != "none" and (self.blocked or self.three)
            or self.captures and (self.blocked or exact != "none")
        ):
            raise Refused("the rules contradict each other")
        self.size, self.stride = size, size + 1
        self.cells = [EDGE] * ((size + 2) * self.stride + 2)
        self.places = [(n // size + 1) * self.stride + n % size + 1 for n in range(size * size)]
        self.number = {p: n for n, p in enumerate(self.places)}
        for p in self.places:
            self.cells[p] = EMPTY
        self.whole = self.free = sum(1 << p for p in self.places)
        self.sets, self.captured, self.to_move, self.line = [0, 0], [0, 0], 0, []
        self.lines = (1, self.stride, self.stride + 1, self.stride - 1)
        self.steps = self.lines + tuple(-s for s in self.lines)

    def name(self, p):
        return chr(ord("a") + self.number[p] % self.size) + str(self.number[p] // self.size + 1)

    def put(self, p, stone):
        """Puts a stone on a place that is empty, or EMPTY on another."""
        self.sets[(stone or self.cells[p]) - 1] ^= 1 << p
        self.free ^= 1 << p
        self.cells[p] = stone

    def ends(self, side, p, s):
        """The places around the run that a stone of side on p is in, and its length."""
        cells, own, lo, hi = self.cells, side + 1, p - s, p + s
        while cells[lo] == own:
            lo -= s
        while cells[hi] == own:
            hi += s
        return lo, hi, (hi - lo) // s - 1

    def five(self, side, p):
        """Whether a stone of side on p is in a winning run."""
        block = {2 - side, EDGE if self.edge else 2 - side}
        for lo, hi, length in (self.ends(side, p, s) for s in self.lines):
            blocked = self.blocked and {self.cells[lo], self.cells[hi]} <= block
            if length > 5 and not self.exact[side] or length == 5 and not blocked:
                return True
        return False

    def standing(self, side):
        """Whether side has a winning run anywhere."""
        own, starts = self.sets[side], 0
        for s in self.lines:
            starts |= own & own >> s & own >> 2 * s & own >> 3 * s & own >> 4 * s
        return any(self.five(side, p) for p in members(starts))

    def fives(self, side):
        """The empty places where a stone of side is in a winning run."""
        own, found = self.sets[side], 0
        for s in self.lines:
            a, b = own << s, own >> s
            a2, b2 = a & own << 2 * s, b & own >> 2 * s
            a3, b3 = a2 & own << 3 * s, b2 & own >> 3 * s
            found |= a3 & own << 4 * s | a3 & b | a2 & b2 | a & b3 | b3 & own >> 4 * s
        return [p for p in members(found & self.free) if self.five(side, p)]

    def flanked(self, side, p):
        """The places of the opponent's stones that a stone of side on p takes."""
        cells, opp = self.cells, 2 - side
        ways = (s for s in self.steps if cells[p + s] == opp == cells[p + 2 * s] and cells[p + 3 * s] == side + 1)
        return [q for s in ways for q in (p + s, p + 2 * s)]

    def capturing(self, side):
        """The empty places where side captures."""
        own, opp, found = self.sets[side], self.sets[1 - side], 0
        for s in self.lines:
            found |= opp >> s & opp >> 2 * s & own >> 3 * s | opp << s & opp << 2 * s & own << 3 * s
        return list(members(found & self.free))

    def breakable(self, side):
        """Whether the opponent can capture its tenth stone, or so that side has no five."""
        for p in self.capturing(1 - side):
            taken = self.flanked(1 - side, p)
            for t in taken:
                self.put(t, EMPTY)
            left = self.standing(side)
            for t in taken:
                self.put(t, side + 1)
            if not left or self.captured[1 - side] + len(taken) >= 10:
                return True
        return False

    def legal(self, p):
        """Whether the side to move may play on p."""
        side = self.to_move
        if self.cells[p] != EMPTY or self.distance and self.near_first(p):
            return False
        if self.renju[side] and self.judge(side, p) == "forbidden":
            return False
        return not self.three or not self.double_three(side, p) or self.captures and bool(self.flanked(side, p))

    def near_first(self, p):
        """Whether p is too near to the first stone for the third one."""
        stones = self.sets[0] | self.sets[1]
        if self.to_move or any(self.captured) or bin(stones).count("1") != 2 or bin(self.sets[0]).count("1") != 1:
            return False
        (y, x), (v, u) = (divmod(self.number[q], self.size) for q in (p, self.sets[0].bit_length() - 1))
        return max(abs(x - u), abs(y - v)) < self.distance

    def judge(self, side, p):
        """What renju says of a stone of a restricted side on p: five, forbidden, or free."""
        lengths = [self.ends(side, p, s)[2] for s in self.lines]
        if 5 in lengths:
            return "five"
        self.put(p, side + 1)
        forbidden = max(lengths) > 5 or len(set().union(*(self.fours(side, p, s) for s in self.lines))) > 1
        if not forbidden:
            threes = [line for line in (self.straight(side, p, s, True) for s in self.lines) if line]
            forbidden = len(threes) > 1 and sum(any(self.judge(side, e) == "free" for e in line) for line in threes) > 1
        self.put(p, EMPTY)
        return "forbidden" if forbidden else "free"

    def fours(self, side, p, s):
        """The rows of four in direction s with the stone on p that one more makes five."""
        ways = ((e, self.ends(side, e, s)) for e in self.ends(side, p, s)[:2] if self.cells[e] == EMPTY)
        return {tuple(q for q in range(a + s, b, s) if q != e) for e, (a, b, length) in ways if length == 5}

    def straight(self, side, p, s, exact):
        """The places where one more stone puts that on p in an open four; with exact, both ends make five."""
        cells, own = self.cells, side + 1
        ways = ((e, self.ends(side, e, s)) for e in self.ends(side, p, s)[:2] if cells[e] == EMPTY)
        fours = ((e, a, b) for e, (a, b, length) in ways if length == 4 and cells[a] == cells[b] == EMPTY)
        return [e for e, a, b in fours if not (exact and own in (cells[a - s], cells[b + s]))]

    def double_three(self, side, p):
        """Whether a stone on p makes free-threes in two directions."""
        self.put(p, side + 1)
        threes = sum(bool(self.straight(side, p, s, False)) for s in self.lines)
        self.put(p, EMPTY)
        return threes > 1

    def play(self, p):
        """Plays a legal move and returns the side that has won, "draw" or None."""
        side = self.to_move
        taken = self.flanked(side, p) if self.captures else []
        self.put(p, side + 1)
        for t in taken:
            self.put(t, EMPTY)
        self.captured[side] += len(taken)
        self.to_move = 1 - side
        self.line.append((p, taken))
        return self.result(side, p)

    def undo(self):
        p, taken = self.line.pop()
        self.to_move = side = 1 - self.to_move
        self.captured[side] -= len(taken)
        for t in taken:
            self.put(t, 2 - side)
        self.put(p, EMPTY)

    def result(self, side, p):
        if self.captures and (self.captured[side] >= 10 or self.standing(1 - side)):
            return side if self.captured[side] >= 10 else 1 - side
        if self.five(side, p) and not (self.captures and self.breakable(side)):
            return side
        return None if self.movable() else "draw"

    def movable(self):
        return any(self.legal(p) for p in members(self.free))

    def wins(self):
        """The legal moves that win at once for the side to move."""
        side, won = self.to_move, []
        for p in {*self.fives(side), *(self.capturing(side) if self.captures else ())}:
            if self.legal(p):
                if self.play(p) == side:
                    won.append(p)
                self.undo()
        return won


class Walk:
    """The walk for a side. The next move is the last; mark begins a pairing, None if the side must win."""

    def __init__(self, board, winner, moves, mark):
        self.board, self.winner, self.moves, self.mark, self.seen = board, winner, moves, mark, {}

    def word(self):
        return self.moves.pop() if self.moves else self.refuse("the moves have ended")

    def ends(self, result):
        """Whether the game has ended, as it may."""
        if result not in (None, self.winner, self.mark and "draw"):
            self.refuse("the game ends without a win" if self.mark is None else "the game is lost")
        return result is not None

    def refuse(self, why):
        raise Refused("after '%s': %s" % ("".join(self.board.name(p) for p, _ in self.board.line), why))

    def attack(self):
        """Walks on with the winner to move; returns the plies to the end."""
        b, key = self.board, (*self.board.sets, *self.board.captured)
        if key in self.seen or b.wins():
            return self.seen.get(key, 1)
        move, pairs = self.word(), None
        if move == self.mark:
            move, pairs = self.word(), [self.word() for _ in range(2 * self.word())]
        if move == self.mark or not b.legal(b.places[move]):
            self.refuse("the move is not legal")
        if self.ends(b.play(b.places[move])) or pairs is not None:
            self.seen[key] = plies = 1 if pairs is None else self.pair(pairs)
        else:
            self.seen[key] = plies = 1 + self.defend()
        b.undo()
        return plies

    def pair(self, pairs):
        """Refuses pairs that do not hold, with the other side to move."""
        b, side, other = self.board, self.winner, 1 - self.winner
        few = b.distance and side == 0 and bin(b.sets[0] | b.sets[1]).count("1") < 2
        if not b.movable() or b.captures or pairs and (b.renju[side] or b.three or few):
            self.refuse("a pairing where the game is over, stones are captured or cells are closed")
        places = [b.places[c] if c < len(b.places) else 0 for c in pairs]
        firsts, seconds = places[::2], places[1::2]
        ordered = firsts == sorted(firsts) and all(p < q for p, q in zip(firsts, seconds))
        if len(set(places)) < len(places) or any(b.cells[p] for p in places) or not ordered:
            self.refuse("the pairs are out of order, or no empty cells of their own")
        ends = {side + 1, EDGE if b.edge else side + 1}
        for p in b.places:
            for s in b.lines:
                line = {p + k * s for k in range(5)}
                if line <= b.number.keys() and not any(b.cells[q] == side + 1 for q in line):
                    around = {b.cells[p - s], b.cells[p + 5 * s]}
                    closed = b.exact[other] and other + 1 in around or b.blocked and around <= ends
                    if not closed and not any(x in line and y in line for x, y in zip(firsts, seconds)):
                        self.refuse("no pair is in the line of five from %s" % b.name(p))
        return 1

    def defend(self):
        """Walks on with the loser to move; returns the plies to the end."""
        plies = 2
        for p in self.replies():
            if not self.ends(self.board.play(p)):
                plies = max(plies, 1 + self.attack())
            self.board.undo()
        return plies

    def replies(self):
        """The replies that have to be played, in ascending order."""
        b, loser = self.board, 1 - self.winner
        fives = [p for p in b.fives(loser) if b.legal(p)]
        if fives and not b.captures:
            self.refuse("the other side wins by " + b.name(fives[0]))
        if b.captures and b.standing(self.winner):
            near = self.flanks(0)
        else:
            b.to_move = self.winner
            wins = b.wins()
            b.to_move = loser
            near = set.intersection(*(self.near(c, fives) for c in wins)) if wins else b.places
        return [p for p in sorted(near) if b.legal(p)]

    def near(self, c, fives):
        """N(c) of FORMAT.md."""
        b = self.board
        if b.captures:
            around = (c + k * s for s in b.steps for k in (1, 2) if b.cells[c + s] != EDGE)
            return {c, *fives, *around, *self.flanks(1 << c)}
        return {c}.union(*(b.ends(self.winner, c, s)[:2] for s in b.lines)) if b.blocked else {c}

    def flanks(self, more):
        """The places behind an end of two adjacent stones of the winner, more counted."""
        b, found = self.board, 0
        own = b.sets[self.winner] | more
        free = b.whole & ~own
        for s in b.lines:
            pairs = own & own >> s
            found |= (pairs & free >> 2 * s) >> s | (pairs & free << s) << 2 * s
        return members(found & b.whole)


def header(text, wins):
    """Reads a header; returns the board, the sides that win or hold, the plies, the number of words."""
    lines = text.decode("ascii", "replace").split("\n")

    def take(key, pattern):
        found = re.fullmatch(key + " (" + pattern + ")", lines.pop(0) if lines else "")
        if not found:
            raise Refused("the header's line '%s' is missing or wrong" % key)
        return found[1]

    pair, number = "none|first|second|both", "0|[1-9][0-9]{0,8}"
    name = take("rule", "[a-z0-9-]{1,32}")
    words = (take("exact", pair), take("blocked", "none|opponent|edge"), take("overline-free", "no|yes"))
    words += (take("renju", pair), take("double-three", "no|yes"), take("captures", "no|yes"))
    distance, size = int(take("open-distance", number)), int(take("size", number))
    if distance > 22 or not 5 <= size <= 22 or KNOWN.get(name, words) != words:
        raise Refused("a size or a distance is out of range, or the rules are not those of the name")
    b = Board(words, distance, size)
    for side in (0, 1):
        stones, last = take(SIDES[side], "-|([a-v][1-9][0-9]?)+"), -1
        for column, row in re.findall("([a-v])([0-9]+)", stones):
            x, y = ord(column) - ord("a"), int(row) - 1
            if x >= size or y >= size or y * size + x <= last or b.cells[b.places[y * size + x]]:
                raise Refused("the stones of %s are out of order or no cells of their own" % SIDES[side])
            last = y * size + x
            b.put(b.places[last], side + 1)
    b.captured = [int(n) for n in take("captured", "[02468] [02468]").split()]
    b.to_move = SIDES.index(take("to-move", "first|second"))
    of = PAIRS[take("winner", "first|second") if wins else take("holds", "first|second|both")]
    plies = int(take("plies", number)) if wins else None
    nodes = int(take("nodes" if wins else "words", number))
    if lines or any(b.captured) and not b.captures:
        raise Refused("the header goes on, or there are captured stones without captures")
    held = b.standing(1 - b.to_move) and not (b.captures and b.breakable(1 - b.to_move))
    if b.standing(b.to_move) or held or not b.movable():
        raise Refused("the game is over at the start")
    return b, [side for side in (0, 1) if of[side]], plies, nodes


def check(data):
    """Returns what a certificate proves, in words, or raises Refused."""
    head, found, body = data[:MAX_HEADER].partition(b"\n\n")
    if not data.startswith(MAGIC) or not found:
        raise Refused("this is no certificate")
    wins = data.startswith(MAGIC[0])
    board, sides, plies, nodes = header(head[len(MAGIC[0]) :], wins)
    if nodes > MAX_NODES:
        raise Refused("%d nodes: this checker takes up to %d" % (nodes, MAX_NODES))
    width, body = 1 if board.size < 16 + wins else 2, data[len(head) + 2 : -32]
    if len(data) != len(head) + 2 + nodes * width + 32 or hashlib.sha256(data[:-32]).digest() != data[-32:]:
        raise Refused("the length or the digest is not that of the content")
    mark = None if wins else 256**width - 1
    moves = [int.from_bytes(body[i : i + width], "big") for i in range(0, len(body), width)][::-1]
    if any(m >= len(board.places) and m != mark for m in moves):
        raise Refused("a move is off the board")
    for side in sides:
        walk = Walk(board, side, moves, mark)
        longest = walk.attack() if board.to_move == side else walk.defend()
    if moves or wins and longest != plies:
        raise Refused("%d moves are left over, the longest line has %d plies" % (len(moves), longest))
    proven = SIDES[side] + " does not lose" if len(sides) < 2 else "a draw"
    return "%s wins in %d plies: %d nodes" % (SIDES[side], plies, nodes) if wins else "%s: %d words" % (proven, nodes)


def main(paths):
    status = 0 if paths else 1
    for path in paths:
        try:
            with open(path, "rb") as file:
                text = check(file.read(MAX_HEADER + 2 * MAX_NODES + 33))
        except (Refused, OSError) as err:
            status, text = 1, "refused: %s" % err
        print("%s: %s" % (path, text))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
