// The game in the address of the page.

/** The most characters of a definition in an address. */
const LONGEST_DEFINITION = 4_000;

const encoded = (definition) => encodeURIComponent(definition.text);
/** Rules in an address: their commas and equals signs stay readable. */
export const encodedRules = (rules) => encodeURIComponent(rules).replaceAll("%3D", "=").replaceAll("%2C", ",");

/** A part of an address. One that is not encoded correctly is taken as it is. */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether an address holds the rules of a game: those of a file may be too long. */
export const holdsRules = (definition) => !definition || encoded(definition).length <= LONGEST_DEFINITION;

/** The address of a game. `definition` has the name and the text of its rules if a file defines them, or is null. */
export function addressOf(game, line, definition) {
  const parts = [`rules=${encodedRules(game.rules)}`];
  if (game.start) parts.push(`start=${encodeURIComponent(game.start)}`);
  if (line.length) parts.push(`moves=${line.map((move) => encodeURIComponent(move.text)).join(",")}`);
  if (game.sides !== "first") parts.push(`side=${game.sides}`);
  if (game.level !== 2) parts.push(`level=${game.level}`);
  if (definition && holdsRules(definition)) parts.push(`definition=${encoded(definition)}`);
  return `#${parts.join("&")}`;
}

/** The game that the address names; what it leaves out is of `game`. `problems` are its parts that mean nothing. */
export function readAddress(game, levels) {
  const found = {};
  const problems = [];
  for (const part of location.hash.slice(1).split("&").filter(Boolean)) {
    const [name] = part.split("=", 1);
    if (!["rules", "start", "moves", "side", "level", "definition"].includes(name)) problems.push(`“${name}” is no part of a game.`);
    found[name] = decoded(part.slice(name.length + 1));
  }
  const level = Number(found.level);
  const hasLevel = found.level && Number.isInteger(level) && level in levels;
  const hasSide = ["first", "second", "both", "none"].includes(found.side);
  if (found.level !== undefined && levels.length && !hasLevel) problems.push(`There is no level “${found.level}”: they go from 0 to ${levels.length - 1}.`);
  if (found.side !== undefined && !hasSide) problems.push(`There is no side “${found.side}”.`);
  return {
    rules: found.rules ?? game.rules,
    definition: found.definition ?? null,
    start: found.start || null,
    moves: (found.moves ?? "").split(",").filter(Boolean),
    sides: hasSide ? found.side : "first",
    level: hasLevel ? level : game.level,
    problems,
  };
}
