// @ts-check
/**
 * What the tables of a part of the run are made of: sums over ranks, and records that become rows by their columns' keys.
 *
 * In: what the timeline adds up (timeline/sums.js), and its names. Out: groups of calls, rows.
 *
 * @import { Cell, Table } from "#units"
 * @import { CallSum } from "#timeline-decode"
 * @import { Sums } from "#timeline-sums"
 * @typedef {Record<string, Cell | undefined>} Fields
 * @typedef {{ fields: Fields, times: number[], ns: number, calls: number, bytes: number | null, entries: number, productive: number }} Group
 */

/** Rows of a table; what a record does not say is unknown. @returns {Cell[][]} */
export function rows(/** @type {Table} */ table, /** @type {Fields[]} */ records) {
  return records.map((record) => table.columns.map(({ key }) => record[key] ?? null));
}

/** A rank as tables have it. @returns {Cell} */
export function rank(/** @type {{ number: number | null, world: number }} */ { number, world }) {
  return world === 0 ? number : [number, world];
}

/** The rank of a row of the timeline. */
export function rankOf(/** @type {any} */ data, /** @type {number} */ row) {
  return rank(data.names[data.ranks[row].name]);
}

/** A part of a whole, of 100. */
export function percent(/** @type {number} */ part, /** @type {number} */ whole) {
  return whole > 0 ? (100 * part) / whole : null;
}

/** Seconds. */
export function seconds(/** @type {number} */ ns) {
  return ns / 1e9;
}

/**
 * Calls that have a key in common, with their time on each of the rows; none where the key is null. Which bytes persistent requests
 * move is not known of the calls that start them.
 */
export function group(
  /** @type {any} */ data,
  /** @type {Sums} */ sums,
  /** @type {(sum: CallSum) => [string, Fields] | null} */ keyOf,
) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  sums.rows.forEach(({ calls }, at) => {
    for (const sum of calls) {
      const [key, fields] = keyOf(sum) ?? [];
      if (key === undefined || fields === undefined) continue;
      const known = groups.get(key);
      const none = () => ({ fields, times: sums.rows.map(() => 0), ns: 0, calls: 0, bytes: 0, entries: 0, productive: 0 });
      const own = known ?? /** @type {Group} */ (none());
      if (known === undefined) groups.set(key, own);
      own.times[at] += sum.ns;
      own.ns += sum.ns;
      own.calls += sum.calls;
      own.entries += sum.entries;
      own.productive += sum.productive;
      own.bytes = own.bytes === null || data.functions[sum.fn].starts ? null : own.bytes + sum.bytes;
    }
  });
  return [...groups.values()].sort((a, b) => b.ns - a.ns);
}

/** Where the first of the greatest numbers is, or of the least. */
export function placeOf(/** @type {number[]} */ numbers, isLeast = false) {
  const isBetter = (/** @type {number} */ a, /** @type {number} */ b) => (isLeast ? a < b : a > b);
  return numbers.reduce((best, number, at) => (isBetter(number, numbers[best]) ? at : best), 0);
}
