// The study that this browser keeps, so that a closed page can go on with it.

const NAME = "fusion-chess-lab";
/** Key of the study beside its games. */
const STUDY = "study";

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const finished = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });

/** Opens the place where the browser keeps a study; null if it keeps nothing. */
export async function openStore() {
  try {
    const opening = indexedDB.open(NAME, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore("study");
      opening.result.createObjectStore("games");
    };
    const base = await done(opening);
    const change = (names, act) => {
      const transaction = base.transaction(names, "readwrite");
      act(...names.map((name) => transaction.objectStore(name)));
      return finished(transaction);
    };
    return {
      /** The study and its games as pairs of numbers and games; null if there is none. */
      async load() {
        const transaction = base.transaction(["study", "games"]);
        const games = transaction.objectStore("games");
        const [study, numbers, played] = await Promise.all([done(transaction.objectStore("study").get(STUDY)), done(games.getAllKeys()), done(games.getAll())]);
        return study ? { study, games: numbers.map((number, i) => [number, played[i]]) } : null;
      },
      /** Keeps a study with its games in place of the one before. */
      begin: (study, played) => change(["study", "games"], (kept, games) => {
        games.clear();
        for (const [number, game] of played) games.put(game, number);
        kept.put(study, STUDY);
      }),
      /** Keeps a game. */
      add: (number, game) => change(["games"], (games) => games.put(game, number)),
      /** Keeps nothing any more. */
      clear: () => change(["study", "games"], (kept, games) => [kept, games].forEach((store) => store.clear())),
    };
  } catch {
    return null;
  }
}
