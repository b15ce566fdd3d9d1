// @ts-check
/**
 * Words of the part of the run that the timeline shows: what a table says it is of, and what to type for the same in a terminal.
 *
 * @import { Table } from "#units"
 * @import { Interval } from "#timeline"
 */

/** What a table's rows are of. */
export function partInWords(/** @type {Table} */ { part }, /** @type {string} */ words) {
  return [words, part?.leftOut].filter(Boolean).join("; ");
}

/** What to type behind a command for a part of the run: where it is of all ranks or all of the time, nothing says so. */
export function choiceOf(/** @type {any} */ data, /** @type {Interval} */ { from, to, rows }) {
  const time = (/** @type {number} */ ns) => (ns / 1e9).toFixed(9).replace(/\.?0+$/, "");
  const words = [from > Math.max(0, data.from) ? ` --from ${time(from)}` : "", to < data.to ? ` --to ${time(to)}` : ""];
  const ranks = rows.map((row) => data.names[data.ranks[row].name].rank);
  // A number means the ranks of that number in all worlds.
  const isPlain = ranks.every((rank) => typeof rank === "number");
  if (isPlain && rows.length < data.ranks.length) words.push(` --rank ${list(ranks)}`);
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
