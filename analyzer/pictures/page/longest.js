// @ts-check
/**
 * From a row of waits to the longest wait that it counts.
 *
 * In: a table whose columns say what they name, a row, and the timeline's data, which lists the longest waits. Out: the number of the
 * first in that list which has all the row's names, or -1.
 *
 * @import { Cell, Table } from "#units"
 */

/** Names of a wait by the number that leads to them in records of waits. @type {Record<string, (data: any, wait: any, field: string | null) => any>} */
const NAMES = {
  fn: (data, wait) => data.places[wait.here].function,
  site: (data, wait) => data.places[wait.here].site,
  state: (data, wait) => data.states[wait.state],
  rank: (data, wait) => data.names[data.ranks[wait.row].name].rank,
  cause: (data, wait) => (wait.cause === null ? null : data.names[wait.cause].rank),
  place: (data, wait, field) => (wait.place === null ? null : data.places[wait.place][field ?? "site"]),
};

/** The longest wait of a row: -1 where the page lists none. */
export function longestOf(/** @type {Table} */ { columns, part }, /** @type {Cell[]} */ row, /** @type {any} */ data) {
  if (part?.rows !== "waits") return -1;
  const named = columns.map((column, at) => ({ name: column.part?.name, at })).filter(({ name }) => name && name.number in NAMES);
  if (named.length === 0) return -1;
  const same = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
  return data.waits.findIndex((/** @type {any} */ wait) => named.every(({ name, at }) => {
    return same(NAMES[name?.number ?? ""](data, wait, name?.field ?? null), row[at]);
  }));
}
