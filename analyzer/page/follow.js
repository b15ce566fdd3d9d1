// @ts-check
/**
 * Tables and pictures follow what the timeline shows; those that are of the whole run say so.
 *
 * In: the tables of all sections, and the timeline's sums over the part in view. Out: what each table then shows.
 *
 * @import { Cell, Table } from "#units"
 * @import { Sums } from "#timeline-sums"
 */
import { engine, functions, imbalance, sites, sizes } from "#of_calls";
import { heat, pairs, waitPlaces, waitStates } from "#of_pairs";
import { ranks, rankTime } from "#of_ranks";

/** What makes the rows of a table, by section and table. @type {Record<string, (table: Table, data: any, sums: Sums) => Cell[][]>} */
const FOLLOWING = {
  "ranks rank_time": rankTime,
  "ranks ranks": ranks,
  "ranks functions": imbalance,
  "functions functions": functions,
  "sizes sizes": sizes,
  "matrix heat": heat,
  "matrix pairs": pairs,
  "waits wait_states": waitStates,
  "waits waits": waitPlaces,
  "progress engine_functions": engine,
  "sites sites": sites,
};

/** What a table leaves out of a part. @type {Record<string, string>} */
const LEFT_OUT = {
  "matrix pairs": "what collective calls hand over is known of the whole run alone",
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
