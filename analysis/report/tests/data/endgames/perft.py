"""Checks the moves of reference.py against counts of moves from another program.

Usage:  python perft.py COUNTS.csv [MOST_NODES]     (columns ruleset,name,fen,depth,nodes)

Rows of the Fusion Chess presets are checked, but those where castling could play a part and those
of more nodes than MOST_NODES (20000). Pawns move here; all else is reference.successors.
"""
import csv
import sys

import numpy as np
from reference import B, K, N, PAWN, PRESETS, R, in_check, parse_rules, successors

PIECES = {"r": [R], "b": [B], "n": [N], "k": [K], "q": [R, B], "m": [R, N], "d": [B, N],
          "g": [K, R], "f": [K, B], "c": [K, N]}


def parse(fen):
    placement, mover, _, passant = fen.split()[:4]
    units = []
    for rank, row in zip(range(7, -1, -1), placement.split("/")):
        file = 0
        for c in row:
            if c.isdigit():
                file += int(c)
                continue
            black = c.islower()
            for mask in PIECES.get(c.lower(), [PAWN[black]]):
                units.append((8 * rank + file, black, mask))
            file += 1
    sq, side, mask = (np.array(column, np.int64) for column in zip(*units))
    passant = -1 if passant == "-" else ord(passant[0]) - ord("a") + 8 * (int(passant[1]) - 1)
    return sq, side, mask, "wb".index(mover), passant


def pawn_moves(sq, side, mask, who, passant):
    ahead, home, last = ((8, 1, 7), (-8, 6, 0))[who]
    occupied, enemies = set(sq), set(sq[side != who])
    for u in np.flatnonzero((mask == PAWN[who]) & (sq < 64)):
        a = int(sq[u])
        moves = [(a + ahead, -1, -1)] if a + ahead not in occupied else []  # to, taken on, passed
        if moves and a // 8 == home and a + 2 * ahead not in occupied:
            moves.append((a + 2 * ahead, -1, a + ahead))
        for aside in (-1, 1):
            to = a + ahead + aside
            if 0 <= a % 8 + aside < 8 and (to in enemies or to == passant):
                moves.append((to, to if to in enemies else to - ahead, -1))
        for to, taken, passed in moves:
            new = sq.copy()
            new[(sq == taken) & (side != who)] = 64
            new[u] = to
            if in_check(new, side, mask, who):
                continue
            for kind in (R, B, N) if to // 8 == last else (PAWN[who],):
                changed = mask.copy()
                changed[u] = kind
                yield new, changed, passed


def children(sq, side, mask, who, passant, rules):
    out = np.zeros((2048, len(sq)), np.int64)
    # A compound that reaches a square by both of its components makes one move, not two.
    found = {tuple(new): new for new in out[:successors(sq, side, mask, who, rules, out)]}
    yield from ((new, mask, -1) for new in found.values())
    yield from pawn_moves(sq, side, mask, who, passant)


def perft(sq, side, mask, who, passant, rules, depth):
    after = children(sq, side, mask, who, passant, rules)
    if depth == 1:
        return sum(1 for _ in after)
    return sum(perft(s, side, m, 1 - who, p, rules, depth - 1) for s, m, p in after)


def main(counts, most=20000):
    checked, wrong = {}, 0
    for row in csv.DictReader(open(counts)):
        rules, depth, nodes = row["ruleset"], int(row["depth"]), int(row["nodes"])
        castling = row["fen"].split()[2] != "-" and rules.startswith("fusion-2020")
        if rules not in PRESETS or rules == "orthodox" or castling or nodes > int(most):
            continue
        found = perft(*parse(row["fen"]), parse_rules(rules), depth)
        if found != nodes:
            wrong += 1
            print(f"{rules} {row['name']} depth {depth}: {found}, stated {nodes}")
        checked[rules] = checked.get(rules, 0) + 1
    print(f"{wrong} wrong of", checked)


if __name__ == "__main__":
    main(*sys.argv[1:])
