#!/usr/bin/env python3
"""Checks a bitbase of Onitama with a second program, which shares nothing with the first.

    check.py FILE [--men N]

It solves all positions of the file's cards with 2..N men (default 3) from the rules and the
cards as they are printed, and compares each with the file, which it reads as the Go package's
documentation describes. It needs Python 3.10 and nothing else. Three men take seconds, four
take minutes; more would take hours.

All classes of men are solved at once, outwards from the ends of games: a move is taken back
together with what it captured. The table knows neither classes nor ranks: a position's number
here is (deal, own master, other master, students), where the students are counted off a list.
"""

import argparse
import hashlib
import itertools
import re
import sys
import time
from array import array

# Steps to the right and forward, as the mover sees the printed card.
CARDS = {
    "Boar": [(0, 1), (-1, 0), (1, 0)],
    "Cobra": [(-1, 0), (1, 1), (1, -1)],
    "Crab": [(0, 1), (-2, 0), (2, 0)],
    "Crane": [(0, 1), (-1, -1), (1, -1)],
    "Dragon": [(-2, 1), (2, 1), (-1, -1), (1, -1)],
    "Eel": [(-1, 1), (-1, -1), (1, 0)],
    "Elephant": [(-1, 1), (1, 1), (-1, 0), (1, 0)],
    "Frog": [(-1, 1), (-2, 0), (1, -1)],
    "Goose": [(-1, 1), (-1, 0), (1, 0), (1, -1)],
    "Horse": [(0, 1), (-1, 0), (0, -1)],
    "Mantis": [(-1, 1), (1, 1), (0, -1)],
    "Monkey": [(-1, 1), (1, 1), (-1, -1), (1, -1)],
    "Ox": [(0, 1), (1, 0), (0, -1)],
    "Rabbit": [(1, 1), (2, 0), (-1, -1)],
    "Rooster": [(1, 1), (-1, 0), (1, 0), (-1, -1)],
    "Tiger": [(0, 2), (0, -1)],
}
HOME, GOAL = 2, 22  # the temples: the mover's own and the other's; a square is 5 * row + column


def squares_of(mask):
    """Yields the squares of a set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Game:
    """All positions of five cards with up to so many men, seen by the side to move."""

    def __init__(self, names, men):
        self.names = sorted(names)
        self.to = []  # by card and square: the set of squares that a man steps to
        self.back = []  # the squares that it steps there from
        for name in self.names:
            steps = [[] for _ in range(25)]
            back = [[] for _ in range(25)]
            for s in range(25):
                for dx, dy in CARDS[name]:
                    if 0 <= s % 5 + dx < 5 and 0 <= s // 5 + dy < 5:
                        steps[s].append(s + dx + 5 * dy)
                        back[s + dx + 5 * dy].append(s)
            self.to.append([sum(1 << t for t in to) for to in steps])
            self.back.append(back)

        # Deals: (own hand, other hand, side card).
        self.deals = [
            (own, tuple(c for c in range(5) if c not in own and c != side), side)
            for own in itertools.combinations(range(5), 2)
            for side in range(5) if side not in own
        ]
        number = {deal: i for i, deal in enumerate(self.deals)}
        self.before = [[] for _ in self.deals]  # (deal before, exchanged card)
        for d, (own, other, side) in enumerate(self.deals):
            for i in 0, 1:
                got = tuple(sorted((own[1 - i], side)))
                self.before[number[other, got, own[i]]].append((d, own[i]))

        # Students, as a set of own and a set of other squares.
        self.sets = []
        for total in range(men - 1):
            for n in range(total + 1):
                for own in itertools.combinations(range(25), n):
                    for other in itertools.combinations(set(range(25)) - set(own), total - n):
                        self.sets.append((sum(1 << s for s in own), sum(1 << s for s in other)))
        self.index = {own | other << 25: i for i, (own, other) in enumerate(self.sets)}
        turn = lambda mask: sum(1 << 24 - s for s in squares_of(mask))
        self.turned = [self.index[turn(other) | turn(own) << 25] for own, other in self.sets]
        self.men = [list(squares_of(own)) for own, _ in self.sets]
        self.size = 30 * 625 * len(self.sets)

    def solve(self):
        """Returns the plies to the end by position: odd won, even lost, 0 neither."""
        plies, left = bytearray(self.size), bytearray(self.size)
        layer = self.set_up(plies, left)
        n = 1
        while layer:
            assert n < 254, "a distance does not fit into a byte"
            layer = self.take_back(layer, n, plies, left)
            n += 1
        return plies

    def set_up(self, plies, left):
        """Counts the moves of every position, and returns those that win with one."""
        won = array("I")
        goal = 1 << GOAL
        for d, ((a, b), _, _) in enumerate(self.deals):
            to_a, to_b = self.to[a], self.to[b]
            for king in range(25):
                for prey in range(25):
                    if king == prey or king == GOAL or prey == HOME:
                        continue
                    masters = 1 << king | 1 << prey
                    at = ((d * 25 + king) * 25 + prey) * len(self.sets)
                    hunts = sum(1 << s for s in set(self.back[a][prey] + self.back[b][prey]))
                    enters = (to_a[king] | to_b[king]) & goal
                    for i, (own, other) in enumerate(self.sets):
                        if (own | other) & masters:
                            continue
                        mine = own | 1 << king
                        if hunts & mine or enters & ~mine:
                            plies[at + i] = 1
                            won.append(at + i)
                            continue
                        free = ~mine
                        n = (to_a[king] & free).bit_count() + (to_b[king] & free).bit_count()
                        for s in self.men[i]:
                            n += (to_a[s] & free).bit_count() + (to_b[s] & free).bit_count()
                        left[at + i] = n or 2  # without a move there are two passes
        return won

    def take_back(self, layer, n, plies, left):
        """Takes back all moves that led to the positions of a layer, n plies from the end, and
        returns the next layer."""
        found = array("I")
        sets, index, count = self.sets, self.index, len(self.sets)
        lost = n % 2 == 0
        for q in layer:
            m, i = divmod(q, count)
            m, prey = divmod(m, 25)
            deal, king = divmod(m, 25)
            i, king, prey = self.turned[i], 24 - prey, 24 - king  # as the side saw it that moved
            own, other = sets[i]
            full = own | other | 1 << king | 1 << prey
            earlier = []
            for d, card in self.before[deal]:
                back = self.back[card]
                at = (d * 25 + king) * 25 + prey
                for s in back[king]:
                    if s != GOAL and not full >> s & 1:
                        there = ((d * 25 + s) * 25 + prey) * count
                        earlier.append(there + i)
                        j = index.get(own | (other | 1 << king) << 25)
                        if j is not None:
                            earlier.append(there + j)
                for t in self.men[i]:
                    for s in back[t]:
                        if not full >> s & 1:
                            stepped = own ^ 1 << t ^ 1 << s
                            earlier.append(at * count + index[stepped | other << 25])
                            j = index.get(stepped | (other | 1 << t) << 25)
                            if j is not None:
                                earlier.append(at * count + j)
                if self.stuck(d, own | 1 << king):
                    earlier.append(at * count + i)
            for p in earlier:
                if plies[p]:
                    continue
                left[p] -= 1
                if lost or not left[p]:
                    plies[p] = n + 1
                    found.append(p)
        return found

    def stuck(self, deal, mine):
        a, b = self.deals[deal][0]
        return all((self.to[a][s] | self.to[b][s]) & ~mine == 0 for s in squares_of(mine))


def colex(n, k):
    """The sets of k of n things in the order of the combinatorial number system."""
    return sorted(itertools.combinations(range(n), k), key=lambda c: c[::-1])


def compare(game, plies, own_men, other_men, data):
    """Compares a class with its bytes, in their order; returns the number of differences."""
    wrong, at = 0, 0
    own_sets = colex(23, own_men - 1)
    other_sets = colex(24 - own_men, other_men - 1)
    for d in range(30):
        for king in range(25):
            for prey in range(25):
                if king == prey or king == GOAL or prey == HOME:
                    continue
                base = ((d * 25 + king) * 25 + prey) * len(game.sets)
                free = [s for s in range(25) if s != king and s != prey]
                for chosen in own_sets:
                    own = sum(1 << free[c] for c in chosen)
                    rest = [s for s in free if not own >> s & 1]
                    for picked in other_sets:
                        other = sum(1 << rest[c] for c in picked)
                        want = plies[base + game.index[own | other << 25]]
                        if data[at] != want:
                            wrong += 1
                            if wrong <= 5:
                                print(f"deal {d}, masters {king} {prey}, students {own:#x} {other:#x}: the file has {data[at]}, want {want}")
                        at += 1
    assert at == len(data)
    return wrong


def main():
    parser = argparse.ArgumentParser(description="solve Onitama's endgames a second time and compare")
    parser.add_argument("file")
    parser.add_argument("--men", type=int, default=3, choices=[2, 3, 4], help="most men that are solved (default 3)")
    args = parser.parse_args()
    began, wrong = time.time(), 0
    with open(args.file, "rb") as file:
        first = file.readline()
        m = re.fullmatch(rb"carozero onitama bitbase version 1 cards ([A-Za-z,]+) men (\d)\n", first)
        if not m:
            sys.exit(f"{args.file}: the first line is {first!r}")
        game = Game(m[1].decode().split(","), min(args.men, int(m[2])))
        plies = game.solve()
        print(f"solved after {time.time() - began:.0f} s")
        while line := file.readline():
            m = re.fullmatch(rb"(class (\d) (\d) positions (\d+) .* sha256 )([0-9a-f]{64})\n", line)
            if not m:
                sys.exit(f"{args.file}: a line is {line!r}")
            own, other, size = int(m[2]), int(m[3]), int(m[4])
            if own + other > args.men:
                break
            data = file.read(size)
            if hashlib.sha256(first + m[1] + data).hexdigest().encode() != m[5]:
                sys.exit(f"{args.file}: class {own} {other} has another SHA-256")
            n = compare(game, plies, own, other, data)
            print(f"class {own} {other}: {size} positions, {n} differ")
            wrong += n
    print(f"done after {time.time() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
