"""Counts of orthodox.csv read from Syzygy tables, to check every number but the distances.

Usage:  python syzygy.py LIBFATHOM TABLES orthodox.csv

LIBFATHOM is Fathom's shared library (Debian: libfathom1), TABLES a folder of .rtbw and .rtbz files
with up to four pieces (the sdist of the Python package `chess` has them in data/syzygy/regular).
Needs numpy, numba, chess. Every position of the full 64-square board is probed, without symmetry.
python-chess judges legality and probes again on positions drawn by chance.
"""
import csv
import ctypes
import random
import sys

import chess
import chess.syzygy
import numpy as np
from numba import njit

fathom = ctypes.CDLL(sys.argv[1])
assert fathom.tb_init(sys.argv[2].encode())
probe = fathom.tb_probe_wdl_impl
probe.restype = ctypes.c_uint
probe.argtypes = [ctypes.c_uint64] * 8 + [ctypes.c_uint, ctypes.c_bool]
rays = {"Q": fathom.tb_queen_attacks, "R": fathom.tb_rook_attacks, "B": fathom.tb_bishop_attacks}
for f in rays.values():
    f.restype, f.argtypes = ctypes.c_uint64, [ctypes.c_uint, ctypes.c_uint64]
queen, rook, bishop = rays["Q"], rays["R"], rays["B"]

# King's and Knight's attacks; Fathom's own attack functions serve for the sliding pieces.
BIT = np.array([1 << s for s in range(64)], dtype=np.uint64)
KING = np.array([int(chess.BB_KING_ATTACKS[s]) for s in range(64)], dtype=np.uint64)
KNIGHT = np.array([int(chess.BB_KNIGHT_ATTACKS[s]) for s in range(64)], dtype=np.uint64)
NAMES = "KQRBN"


@njit
def attacks(kind, square, occupied):
    if kind == 0:
        return KING[square]
    if kind == 4:
        return KNIGHT[square]
    if kind == 1:
        return queen(square, occupied)
    if kind == 2:
        return rook(square, occupied)
    return bishop(square, occupied)


@njit
def count(kinds, sides, white_to_move):
    """Wins, draws and losses of White. Unit 0 is the white King, unit 1 the black one."""
    n = len(kinds)
    sq = np.zeros(n, np.int64)
    results = np.zeros(3, np.int64)
    for state in range(64 ** n):
        rest = state
        occupied = np.uint64(0)
        for u in range(n):
            sq[u] = rest % 64
            rest //= 64
            occupied |= BIT[sq[u]]
        proper = True
        for u in range(n):
            for v in range(u):
                # Like pieces are one set of squares: take them in one order only.
                if sq[u] == sq[v] or (kinds[u] == kinds[v] and sides[u] == sides[v] and sq[u] < sq[v]):
                    proper = False
        if not proper:
            continue
        mover = 0 if white_to_move else 1
        target = BIT[sq[1 - mover]]
        for u in range(n):
            if sides[u] == mover and attacks(kinds[u], sq[u], occupied) & target:
                proper = False
                break
        if not proper:
            continue
        by = np.zeros(5, np.uint64)
        colour = np.zeros(2, np.uint64)
        for u in range(n):
            by[kinds[u]] |= BIT[sq[u]]
            colour[sides[u]] |= BIT[sq[u]]
        wdl = probe(colour[0], colour[1], by[0], by[1], by[2], by[3], by[4], np.uint64(0), 0, white_to_move)
        if wdl > 4:
            return results * 0 - 1
        better = 0 if wdl < 2 else 1 if wdl == 2 else 2  # for the side to move
        results[2 - better if white_to_move else better] += 1
    return results


def spot_check(white, black, tables, samples):
    """Positions drawn by chance: python-chess agrees with Fathom."""
    checked = 0
    while checked < samples:
        board = chess.Board(None)
        squares = random.sample(range(64), len(white) + len(black))
        for square, piece in zip(squares, white.upper() + black.lower()):
            board.set_piece_at(square, chess.Piece.from_symbol(piece))
        board.turn = random.random() < 0.5
        if not board.is_valid():
            continue
        masks = [board.occupied_co[True], board.occupied_co[False], board.kings, board.queens, board.rooks,
                 board.bishops, board.knights, 0]
        assert probe(*masks, 0, board.turn) - 2 == tables.probe_wdl(board), board.fen()
        checked += 1


def main():
    random.seed(1)
    tables = chess.syzygy.open_tablebase(sys.argv[2])
    with open(sys.argv[3], newline="") as file:
        for row in csv.DictReader(file):
            letters = [row[s].replace("RB", "Q").replace("+", "") for s in ("white", "black")]
            kinds = [0, 0] + [NAMES.index(p) for s in letters for p in s[1:]]
            sides = [0, 1] + [0] * (len(letters[0]) - 1) + [1] * (len(letters[1]) - 1)
            found = count(np.array(kinds), np.array(sides), row["to_move"] == "w")
            stated = [int(row[c]) for c in ("white_wins", "draws", "black_wins")]
            spot_check(*letters, tables, 2000)
            same = list(found) == stated and sum(stated) == int(row["positions"])
            print("v".join(letters), row["to_move"], *found, "same" if same else f"DIFFERS from {stated}",
                  flush=True)


main()
