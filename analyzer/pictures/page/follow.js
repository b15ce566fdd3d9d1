// @ts-check
/**
 * Tables, pictures and commands follow what the timeline shows; tables that are of the whole run say so.
 *
 * In: the tables of all sections, and the timeline's sums over the part in view. Out: what each table then shows, and what to type
 * for it.
 *
 * @import { Cell, Table } from "#units"
 * @import { Interval } from "#timeline"
 * @import { Sums } from "#timeline-sums"
 */
import { engine, functions, imbalance, sites, sizes } from "#of_calls";
import { heat, pairs, waitPlaces, waitStates } from "#of_pairs";
import { efficiency, ranks, rankTime } from "#of_ranks";

/** What makes the rows of a table, by section and table. @type {Record<string, (table: Table, data: any, sums: Sums) => Cell[][] | null>} */
const FOLLOWING = {
  "ranks rank_time": rankTime,
  "ranks ranks": ranks,
  "ranks functions": imbalance,
  "functions functions": functions,
  "sizes sizes": sizes,
  "matrix heat": heat,
  "matrix pairs": pairs,
  "pop pop": efficiency,
  "waits wait_states": waitStates,
  "waits waits": waitPlaces,
  "progress engine_functions": engine,
  "sites sites": sites,
};

/** What a table leaves out of a part. @type {Record<string, string>} */
const LEFT_OUT = {
  "matrix pairs": "what collective calls hand over is known of the whole run alone",
  "pop pop": "what an ideal network would do is known of the whole run alone",
  "progress engine_functions": "how long the engine took is known of the whole run alone",
};

/** Of what the rows are, in words. */
export function partOf(/** @type {string} */ section, /** @type {Table} */ table, /** @type {string} */ words) {
  return [words, LEFT_OUT[`${section} ${table.name}`]].filter(Boolean).join("; ");
}

/** The rows of a table for a part of the run: null where the table is of the whole run, whatever the timeline shows. */
export function rowsOf(
  /** @type {string} */ section,
  /** @type {Table} */ table,
  /** @type {any} */ data,
  /** @type {Sums} */ sums,
) {
  return FOLLOWING[`${section} ${table.name}`]?.(table, data, sums) ?? null;
}

/** What to type behind a command for a part of the run: where it is of all ranks or all of the time, nothing says so. */
export function choiceOf(/** @type {any} */ data, /** @type {Interval} */ { from, to, rows }) {
  const time = (/** @type {number} */ ns) => (ns / 1e9).toFixed(9).replace(/\.?0+$/, "");
  const words = [from > Math.max(0, data.from) ? ` --from ${time(from)}` : "", to < data.to ? ` --to ${time(to)}` : ""];
  const names = rows.map((row) => data.names[data.ranks[row].name]);
  // A number means the ranks of that number in all worlds.
  const isPlain = names.every(({ number, world }) => number !== null && world === 0);
  if (isPlain && rows.length < data.ranks.length) words.push(` --rank ${list(names.map(({ number }) => number))}`);
  return words.join("");
}

/** Numbers as 0-3,8. */
function list(/** @type {number[]} */ numbers) {
  /** @type {[number, number][]} */
  const runs = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] + 1 === number) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}
