// A study that is measured: workers of this page play its games, and one more analyses them.
import { result, startWorker } from "./engine.js";

/** While games are played, the analysis rests this many times as long as it took. */
const REST = 20;
/** Openings of the first analysis. */
const FIRST = 5;
/** Games that are sent to the analysis together. */
const TOGETHER = 50;

/**
 * A study. `study` has its text, its rule sets, the number of its games, the pool of openings (null if it is to be made), the
 * signature of its player's behaviour (null if it is not known yet) and the reader's files; `games` are pairs of numbers and
 * games that were played before. A game is a text in JSON, since scripts cannot read its largest numbers exactly. `handlers` has
 *   changed(state)        something has changed
 *   began(study)          the pool of openings is there
 *   played(number, game)  a game is over
 *   failed(error)         the study cannot go on
 * `analyst` is a worker for the analysis that has been started; without one it is started here.
 */
export function makeStudy(study, games, handlers, analyst = null) {
  const played = new Map(games);
  const state = { study, played, found: 0, playing: false, paused: false, results: null, busy: null, rate: 0 };
  let players = [];
  let inPlay = new Set();
  let fresh = [...games];
  /** The analysis that runs, the number of openings of the last one, and the time until which it rests. */
  let analysis = null;
  let analysed = 0;
  let rested = 0;
  let ended = false;
  /** The promise of [opened]. */
  let opening = null;
  /** When the players began, and the number of games since. */
  let [began, since] = [0, 0];

  const ask = async (worker, request) => result(await worker.send(JSON.stringify(request)));
  const tell = () => handlers.changed(state);
  const isWhole = () => played.size === study.games;

  /** Starts a worker with the study, and with its openings if they are known. */
  async function prepared() {
    const worker = await startWorker("measure", study.files);
    await ask(worker, { measure: "begin", study: study.text });
    if (study.pool) await ask(worker, { measure: "pool", pool: study.pool });
    return worker;
  }

  /** Makes the pool of openings, unless it is known. */
  async function makePool() {
    while (!study.pool) {
      const { found, pool } = await ask(analyst, { measure: "openings" });
      if (ended) return;
      state.found = found;
      study.pool = pool;
      tell();
    }
    const behaviour = await ask(analyst, { measure: "pool", pool: study.pool });
    if (games.length && study.behaviour !== behaviour) throw new Error("its games are of another version of this page. Discard it to begin anew.");
    study.behaviour = behaviour;
  }

  function nextNumber() {
    for (let number = 0; number < study.games; number++) {
      if (!played.has(number) && !inPlay.has(number)) return number;
    }
    return null;
  }

  /** Plays game after game in a worker, until there is none left or the worker is ended. */
  async function playIn(player) {
    for (;;) {
      const number = nextNumber();
      if (number === null || !players.includes(player)) return;
      inPlay.add(number);
      const game = await ask(player.worker, { measure: "play", number });
      if (!players.includes(player)) return;
      inPlay.delete(number);
      played.set(number, game);
      fresh.push([number, game]);
      since += 1;
      state.rate = since / (performance.now() - began);
      handlers.played(number, game);
      analyse().catch(fail);
      tell();
    }
  }

  /** Sends new games to the analysis, and repeats it unless it rests or has nothing new. */
  function analyse() {
    analysis ??= (async () => {
      do {
        const { openings } = await ask(analyst, { measure: "add", games: fresh.splice(0, TOGETHER) });
        const enough = openings > analysed && (isWhole() || openings >= FIRST);
        const started = performance.now();
        if (fresh.length || !enough || ended || (state.playing && started < rested)) continue;
        state.results = await ask(analyst, { measure: "results" });
        analysed = openings;
        rested = performance.now() + REST * (performance.now() - started);
        tell();
      } while (fresh.length && !ended);
    })().finally(() => {
      analysis = null;
    });
    return analysis;
  }

  function fail(error) {
    if (ended) return;
    stop();
    handlers.failed(error);
  }

  /** Ends the workers at once. What they were playing is played again later. */
  function stop() {
    for (const player of players) player.worker?.end();
    players = [];
    inPlay = new Set();
    state.playing = false;
    state.paused = !isWhole();
    tell();
  }

  /** Stops, and analyses all games that are over. */
  function pause() {
    stop();
    opening?.then(() => ended || analyse()).catch(fail);
  }

  /** Prepares the analysis and the openings, once. */
  function opened() {
    opening ??= (async () => {
      analyst ??= await startWorker("measure", study.files);
      await ask(analyst, { measure: "begin", study: study.text });
      const isNew = !study.pool;
      await makePool();
      if (ended) return;
      if (isNew) handlers.began(study);
      analyse().catch(fail);
    })();
    return opening;
  }

  /** Plays in this many workers. */
  async function play(workers) {
    if (state.playing || ended) return;
    [state.playing, state.paused] = [true, false];
    // Another list takes the place of this one when the workers are ended.
    const mine = (players = []);
    tell();
    try {
      await opened();
      if (players !== mine || ended) return;
      [began, since] = [performance.now(), 0];
      for (let i = 0; i < Math.min(workers, study.games - played.size); i++) mine.push({ worker: null });
      await Promise.all(mine.map(async (player) => {
        player.worker = await prepared();
        if (players !== mine) return player.worker.end();
        await playIn(player);
      }));
      if (players !== mine || !isWhole()) return;
      stop();
      await analyse();
      tell();
    } catch (error) {
      if (players === mine) fail(error);
    }
  }

  return {
    state,
    play,
    pause,
    isWhole,
    /** The files of the run: pairs of names and texts. */
    files: async () => {
      while (analysis) await analysis;
      return ask(analyst, { measure: "files" });
    },
    /** Ends all workers for good. */
    end() {
      ended = true;
      stop();
      analyst?.end();
    },
  };
}
