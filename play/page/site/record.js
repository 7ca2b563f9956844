// The game as a tree: moves with their variations. The first child of a move is the main line.

/** A move without any after it. */
const node = (parent, move) => ({ glyphs: [], comment: null, ...move, parent, children: [] });

/** The beginning of a game. */
export const root = () => node(null, { before: null });

/** The child of a move with this text, a new one if there is none: first, or last. */
export function child(parent, text, first) {
  const known = parent.children.find((move) => move.text === text);
  if (known) return known;
  const made = node(parent, { text, words: text });
  parent.children[first ? "unshift" : "push"](made);
  return made;
}

/** The moves from the beginning to a move, and on by the main line if `on`. */
export function lineTo(move, on) {
  const line = [];
  for (let at = move; at.parent; at = at.parent) line.unshift(at);
  for (let at = move; on && at.children.length; line.push(at)) at = at.children[0];
  return line;
}

/** The first move that is not of the main line; undefined if all are. */
export const branch = (move) => lineTo(move).find((at) => at.parent.children[0] !== at);

/** Makes the line to a move the main line. */
export function promote(move) {
  for (const at of lineTo(move)) at.parent.children = [at, ...at.parent.children.filter((other) => other !== at)];
}

/** The tree of a game that was read. */
export function fromRead(game) {
  const made = root();
  made.before = game.comment ?? null;
  add(made, game.moves);
  return made;
}

function add(parent, moves) {
  let at = parent;
  for (const { variations = [], ...move } of moves) {
    const next = node(at, move);
    at.children.push(next);
    for (const variation of variations) {
      if (variation.moves.length) {
        const first = at.children.length;
        add(at, variation.moves);
        at.children[first].before = variation.comment ?? null;
      } else if (variation.comment) next.comment = [next.comment, `(${variation.comment})`].filter(Boolean).join(" ");
    }
    at = next;
  }
}

/** The tree as it is written. */
export function toRead(from) {
  const moves = [];
  for (let at = from; at.children.length; at = at.children[0]) {
    const [main, ...others] = at.children;
    const variations = others.map((first) => ({ comment: first.before ?? null, moves: [shown(first, []), ...toRead(first).moves] }));
    moves.push(shown(main, variations));
  }
  return { comment: from.parent ? null : from.before, moves };
}

const shown = ({ text, words, side, comment, glyphs }, variations) => ({ text, words, side, comment, glyphs, variations });
