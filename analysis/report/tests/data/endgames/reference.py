"""Endgame tables of Fusion Chess and orthodox chess without Pawns, counted by brute force.

Usage:  python reference.py orthodox [PIECES...]     > orthodox.csv   (pieces a table: 3 4, both by default)
        python reference.py fusion [COMPONENTS...]   > fusion.csv     (components a table: 3 4)
        python reference.py RULES MATERIAL           (one table, for example fusion-2020,fission=no KRvKB)

Needs numpy and numba. Written from the text of the rules alone, to check another program: each
component of a side (King, Rook, Bishop, Knight) is a unit with a square of its own, fused units
share a square, a captured unit stands on square 64. All positions of a table, those after captures
too, are numbered; moves are generated forward once and turned round; mates are propagated backward
ply by ply. The white King is kept in the triangle a1-d1-d4 by the eight symmetries of the board,
and counts are weighted back to the full board. No castling, no fifty-move rule.
"""
import sys

import numpy as np
from numba import njit

K, R, B, N = 1, 2, 4, 8
PAWN = (16, 32)  # white, black: they attack here and move in perft.py; the tables have none
LETTERS = {"K": K, "R": R, "B": B, "N": N}

# ---------------------------------------------------------------- rule sets
TOGGLES = ["fusion", "fission", "king-fuses", "fuse-onto-king", "sliders-cross-check",
           "leapers-cross-check", "attacked-split", "royal-reach"]
FUSION, FISSION, KING_FUSES, FUSE_ONTO_KING, SLIDERS, LEAPERS, ATTACKED_SPLIT, PATH = range(8)
PRESETS = {  # in the order of TOGGLES; royal-reach is true for `path`
    "fusion-1999":    [1, 1, 1, 0, 1, 1, 1, 0],
    "fusion-2006":    [1, 1, 0, 1, 0, 1, 1, 0],
    "fusion-2020":    [1, 1, 0, 1, 0, 0, 0, 0],
    "fusion-2020-gc": [1, 1, 0, 1, 0, 0, 0, 1],
    # The rules leave the last toggles open here: they could matter only to a royal compound.
    "orthodox":       [0, 0, 0, 0, 1, 1, 1, 0],
}


def parse_rules(text):
    preset, *changes = text.split(",")
    rules = list(PRESETS[preset])
    for change in changes:
        toggle, value = change.split("=")
        rules[TOGGLES.index(toggle)] = {"no": 0, "yes": 1, "geometric": 0, "path": 1}[value]
    return np.array(rules, dtype=np.bool_)


# ---------------------------------------------------------------- geometry
BIT = np.array([1 << s for s in range(64)] + [0], dtype=np.uint64)  # square 64: no bit
STEP = np.zeros((64, 64), np.bool_)      # a King step apart
LEAP = np.zeros((64, 64), np.bool_)      # a Knight's leap apart
LINE = np.zeros((64, 64), np.uint8)      # R or B: on a common rank or file, or diagonal
BETWEEN = np.zeros((64, 64), np.uint64)  # squares strictly between two squares of a line
for a in range(64):
    for b in range(64):
        dx, dy = b % 8 - a % 8, b // 8 - a // 8
        far = max(abs(dx), abs(dy))
        STEP[a, b] = far == 1
        LEAP[a, b] = sorted((abs(dx), abs(dy))) == [1, 2]
        if far and (dx == 0 or dy == 0 or abs(dx) == abs(dy)):
            LINE[a, b] = B if dx and dy else R
            for i in range(1, far):
                BETWEEN[a, b] |= BIT[a + i * (dx // far + 8 * (dy // far))]

# The eight symmetries, square 64 staying; which one brings a square into the triangle a1-d1-d4.
SYMMETRY = np.full((8, 65), 64, np.int64)
for t in range(8):
    for s in range(64):
        x, y = s % 8, s // 8
        x, y = (7 - x if t & 1 else x), (7 - y if t & 2 else y)
        SYMMETRY[t, s] = 8 * x + y if t & 4 else 8 * y + x
TRIANGLE = np.array([s for s in range(64) if s // 8 <= s % 8 <= 3])
INTO = np.array([next(t for t in range(8) if SYMMETRY[t, s] in TRIANGLE) for s in range(64)])
RANK = np.array([list(TRIANGLE).index(s) if s in TRIANGLE else -1 for s in range(64)])
WEIGHT = np.array([4 if s // 8 == s % 8 else 8 for s in TRIANGLE])  # squares that come to this one


# ---------------------------------------------------------------- moves
# A position is sq[u], the square of each unit; side[u] and mask[u] (its components) do not change.
@njit(cache=True)
def reaches(mask, a, b, occupied):
    """Whether a piece of these components on a moves or attacks to b."""
    if (mask & K and STEP[a, b]) or (mask & N and LEAP[a, b]):
        return True
    if mask >= 16:
        return STEP[a, b] and a % 8 != b % 8 and b // 8 - a // 8 == (1 if mask == 16 else -1)
    return bool(mask & LINE[a, b]) and not BETWEEN[a, b] & occupied


@njit(cache=True)
def attacked(sq, side, mask, target, by, occupied):
    for u in range(len(sq)):
        if side[u] == by and sq[u] < 64 and reaches(mask[u], sq[u], target, occupied):
            return True
    return False


@njit(cache=True)
def occupancy(sq):
    occupied = np.uint64(0)
    for s in sq:
        occupied |= BIT[s]
    return occupied


@njit(cache=True)
def in_check(sq, side, mask, who):
    for u in range(len(sq)):
        if side[u] == who and mask[u] == K:
            return attacked(sq, side, mask, sq[u], 1 - who, occupancy(sq))
    return False


@njit(cache=True)
def travels(sq, side, mask, unit, to, rules):
    """Through check: whether a unit of a royal compound may travel far to a square."""
    a = sq[unit]
    lifted = occupancy(sq) & ~BIT[a]
    if mask[unit] == N:
        if rules[LEAPERS]:
            return True
        for s in range(64):  # gateways: next to both ends
            if STEP[a, s] and STEP[s, to] and not attacked(sq, side, mask, s, 1 - side[unit], lifted):
                return True
        return False
    if rules[SLIDERS]:
        return True
    for s in range(64):
        if BETWEEN[a, to] & BIT[s] and attacked(sq, side, mask, s, 1 - side[unit], lifted):
            return False
    return True


@njit(cache=True)
def fused_king(sq, side, mask, unit):
    """Whether this unit, no King, shares its square with its King."""
    for v in range(len(sq)):
        if mask[v] == K and mask[unit] != K and side[v] == side[unit] and sq[v] == sq[unit]:
            return True
    return False


@njit(cache=True)
def may_split(sq, side, mask, square, who, rules):
    """Whether a compound of this side on a square may split, given what attacks it."""
    if rules[ATTACKED_SPLIT]:
        return True
    occupied = occupancy(sq)
    for u in range(len(sq)):
        if side[u] == who or sq[u] == 64 or not reaches(mask[u], sq[u], square, occupied):
            continue
        if (rules[PATH] and fused_king(sq, side, mask, u) and not STEP[sq[u], square]
                and not travels(sq, side, mask, u, square, rules)):
            continue
        return False
    return True


@njit(cache=True)
def successors(sq, side, mask, who, rules, out):
    """Writes the positions after each legal move into out; returns their number."""
    n, count = len(sq), 0
    occupied = occupancy(sq)
    for u in range(n):
        if side[u] != who or sq[u] == 64 or mask[u] >= 16:
            continue
        a = sq[u]
        mate = -1  # the other unit of a compound
        for v in range(n):
            if v != u and sq[v] == a:
                mate = v
        splits = mate >= 0 and rules[FISSION] and may_split(sq, side, mask, a, who, rules)
        for to in range(64):
            if to == a or not reaches(mask[u], a, to, occupied):
                continue
            friend, friends, enemy = -1, 0, False
            for v in range(n):
                if sq[v] == to:
                    if side[v] == who:
                        friend, friends = v, friends + 1
                    else:
                        enemy = True
            for kind in range(2):  # 0: the whole piece goes; 1: this unit alone leaves a compound
                if kind == 1 and (not splits or enemy or friends):
                    continue
                if kind == 0 and friends:  # fusion
                    if mate >= 0 or friends > 1 or mask[friend] == mask[u]:
                        continue
                    if mask[u] not in (K, R, B, N) or mask[friend] not in (K, R, B, N):
                        continue
                    if not rules[KING_FUSES if mask[u] == K else
                                 FUSE_ONTO_KING if mask[friend] == K else FUSION]:
                        continue
                if kind == 0 and fused_king(sq, side, mask, u):  # a royal compound, not as a King
                    if not STEP[a, to] and not travels(sq, side, mask, u, to, rules):
                        continue
                new = out[count]
                new[:] = sq
                if enemy:
                    for v in range(n):
                        if sq[v] == to:
                            new[v] = 64
                new[u] = to
                if kind == 0 and mate >= 0:
                    new[mate] = to
                if not in_check(new, side, mask, who):
                    count += 1
    return count


# ---------------------------------------------------------------- tables
# Units: 0 the white King, 1 the black King, then the others. A state is
# ((side to move * 10 + triangle square of the white King) * 64 + black King) * 65 + unit 2 ...
@njit(cache=True)
def encode(sq, who):
    t = INTO[sq[0]]
    state = (who * 10 + RANK[SYMMETRY[t, sq[0]]]) * 64 + SYMMETRY[t, sq[1]]
    for u in range(2, len(sq)):
        state = state * 65 + SYMMETRY[t, sq[u]]
    return state


@njit(cache=True)
def decode(state, sq):
    for u in range(len(sq) - 1, 1, -1):
        sq[u] = state % 65
        state //= 65
    sq[1] = state % 64
    state //= 64
    sq[0] = TRIANGLE[state % 10]
    return state // 10


@njit(cache=True)
def legal(sq, side, mask, who):
    for u in range(len(sq)):
        shared = 0
        for v in range(len(sq)):
            if v != u and sq[v] == sq[u] and sq[u] < 64:
                shared += 1
                if side[v] != side[u] or mask[v] == mask[u] or shared > 1:
                    return False
                if mask[u] not in (K, R, B, N) or mask[v] not in (K, R, B, N):
                    return False
    return not in_check(sq, side, mask, 1 - who)


@njit(cache=True)
def solve(side, mask, rules):
    """Plies to mate of each state: even when the side to move is mated, odd when it mates,
    -1 when it is a draw, -2 when it is no position."""
    n = len(side)
    states = 2 * 10 * 64 * 65 ** (n - 2)
    value = np.full(states, -2, np.int16)
    left = np.zeros(states, np.int32)        # moves not yet known to lose
    start = np.zeros(states + 1, np.int64)   # where the list of predecessors begins
    sq = np.zeros(n, np.int64)
    out = np.zeros((256, n), np.int64)
    for state in range(states):
        who = decode(state, sq)
        if legal(sq, side, mask, who):
            value[state] = -1
            left[state] = successors(sq, side, mask, who, rules, out)
            if left[state] == 0 and in_check(sq, side, mask, who):
                value[state] = 0
            for i in range(left[state]):
                start[encode(out[i], 1 - who) + 1] += 1
    for state in range(states):
        start[state + 1] += start[state]
    fill = start[:-1].copy()
    before = np.zeros(start[-1], np.int32)   # predecessors
    for state in range(states):
        if value[state] == -1:
            who = decode(state, sq)
            for i in range(successors(sq, side, mask, who, rules, out)):
                after = encode(out[i], 1 - who)
                before[fill[after]] = state
                fill[after] += 1
    queue = np.zeros(states, np.int32)
    end = 0
    for state in range(states):
        if value[state] == 0:
            queue[end] = state
            end += 1
    head = 0
    while head < end:  # in the order of plies
        state = queue[head]
        head += 1
        for i in range(start[state], start[state + 1]):
            b = before[i]
            if value[b] != -1:
                continue
            left[b] -= 1
            if value[state] % 2 == 0 or left[b] == 0:
                value[b] = value[state] + 1
                queue[end] = b
                end += 1
    return value


@njit(cache=True)
def tally(value, side):
    """By side to move and by which pairs of units share a square (a bit a pair):
    white wins, draws, black wins, longest plies. Positions with all units on the board only."""
    n = len(side)
    counts = np.zeros((2, 1 << (n * (n - 1) // 2), 4), np.int64)
    counts[:, :, 3] = -1
    sq = np.zeros(n, np.int64)
    for state in range(len(value)):
        if value[state] == -2:
            continue
        who = decode(state, sq)
        if sq.max() == 64:
            continue
        pairs, bit = 0, 1
        for u in range(n):
            for v in range(u):
                if sq[u] == sq[v]:
                    pairs |= bit
                bit <<= 1
        row = counts[who, pairs]
        plies = value[state]
        result = 1 if plies < 0 else 0 if (plies % 2 == 1) == (who == 0) else 2
        row[result] += WEIGHT[RANK[sq[0]]]
        row[3] = max(row[3], plies)
    return counts


def order(pieces):
    return sorted(pieces, key=lambda p: (["KRBN".index(c) for c in p], len(p)))


def rows(rules, white, black, split_only):
    """CSV rows of a table; white and black are lists of units such as ["K", "RB"]."""
    units = ["K", "K"] + order(white)[1:] + order(black)[1:]
    side = np.array([0, 1] + [0] * (len(white) - 1) + [1] * (len(black) - 1))
    mask = np.array([sum(LETTERS[c] for c in u) for u in units])
    counts = tally(solve(side, mask, parse_rules(rules)), side)
    material = "v".join("".join(sorted("".join(p), key="KRBN".index)) for p in (white, black))
    alike = 1  # each pair of like units is counted both ways round
    for p in (white, black):
        for u in set(p):
            alike *= [1, 1, 2, 6][p.count(u)]
    for pairs in range(counts.shape[1]):
        if not counts[:, pairs, :3].any() or (split_only and pairs):
            continue
        pieces = [dict(), dict()]  # by the first unit on the square
        place = list(range(len(units)))
        bit = 1
        for u in range(len(units)):
            for v in range(u):
                if pairs & bit:
                    place[u] = place[v]
                bit <<= 1
        for u, unit in enumerate(units):
            pieces[side[u]][place[u]] = pieces[side[u]].get(place[u], "") + unit
        names = ["+".join(order(p.values())) for p in pieces]
        for who in range(2):
            wins, draws, losses, longest = (int(c) for c in counts[who, pairs])
            assert wins % alike == draws % alike == losses % alike == 0
            wins, draws, losses = wins // alike, draws // alike, losses // alike
            yield [f'"{rules}"' if "," in rules else rules, material, *names, "wb"[who],
                   wins + draws + losses, wins, draws, losses, longest if longest >= 0 else ""]


ORTHODOX = ["K+RB K", "K+R K", "K+B K", "K+N K",
            "K+R K+R", "K+R K+B", "K+R K+N", "K+B K+B", "K+B K+N", "K+N K+N",
            "K+R+R K", "K+R+B K", "K+R+N K", "K+B+B K", "K+B+N K", "K+N+N K",
            "K+RB K+R", "K+RB K+B", "K+RB K+N"]


def changed(preset):
    """The rule sets that differ from a preset in one toggle."""
    for i, toggle in enumerate(TOGGLES[1:], 1):
        values = ["geometric", "path"] if i == PATH else ["no", "yes"]
        yield f"{preset},{toggle}={values[1 - PRESETS[preset][i]]}"


def fusion_tables(components):
    one_toggle = [*changed("fusion-1999"), *changed("fusion-2020")]
    if components == 3:
        return [(r, m) for m in ["KRvK", "KBvK", "KNvK"] for r in [*PRESETS, *one_toggle]]
    materials = ["KRvKR", "KRvKB", "KRvKN", "KRBvK", "KBNvK"]
    tables = [(r, m) for m in materials for r in ["fusion-1999", "fusion-2006", "fusion-2020"]]
    # Royal compounds against each other, where the finer toggles tell.
    tables += [("fusion-2020-gc", m) for m in materials[:3]]
    return tables + [(r, "KRvKN") for r in one_toggle]


def main(what, *rest):
    print("rules,material,white,black,to_move,positions,white_wins,draws,black_wins,longest_plies")
    sizes = [int(r) for r in rest if r.isdigit()] or [3, 4]
    if what == "orthodox":
        tables = [("orthodox", *[s.split("+") for s in e.split()], True)
                  for e in ORTHODOX if e.count("+") + 2 in sizes]
    else:
        named = [(what, rest[0])] if what != "fusion" else sum(map(fusion_tables, sizes), [])
        tables = [(r, *[list(s) for s in m.split("v")], False) for r, m in named]
    for table in tables:
        for row in rows(*table):
            print(*row, sep=",", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
