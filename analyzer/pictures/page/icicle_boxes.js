// @ts-check
/**
 * Places of boxes in a picture of call paths: each below its caller, as wide as its time in MPI, and computing if that is known.
 *
 * In: the columns and rows of the table `frames`, the path that is as wide as the picture, and the least width of a box. Out: boxes,
 * callers ahead of what they call, and one box for all that is too small of each caller's. Left ends and widths are in percent.
 *
 * @import { Cell, Column } from "#units"
 * @typedef {{ row: Cell[], path: number, left: number, width: number, level: number, isAbove: boolean }} Box
 * @typedef {{ count: number, left: number, width: number, level: number }} Others
 */

/** @returns {{ boxes: Box[], others: Others[] }} */
export function boxesOf(
  /** @type {Column[]} */ columns,
  /** @type {Cell[][]} */ rows,
  /** @type {number | null} */ topmost,
  /** @type {number} */ least,
) {
  const place = (/** @type {string} */ key) => columns.findIndex((column) => column.key === key);
  const [pathAt, callerAt] = [place("path"), place("caller_path")];
  const timeAt = place("spent_s") >= 0 ? place("spent_s") : place("time_total_s");
  const byPath = new Map(rows.map((row) => [row[pathAt], row]));
  /** @type {Map<Cell, Cell[][]>} */
  const called = new Map();
  for (const row of rows) {
    const siblings = called.get(row[callerAt]) ?? [];
    called.set(row[callerAt], siblings);
    siblings.push(row);
  }
  /** @type {Box[]} */
  const boxes = [];
  /** @type {Others[]} */
  const others = [];
  const add = (/** @type {Cell[]} */ row, /** @type {number} */ left, /** @type {number} */ width, /** @type {number} */ level) => {
    boxes.push({ row, path: Number(row[pathAt]), left, width, level, isAbove: false });
    below(row[pathAt], Number(row[timeAt]), { left, width, level: level + 1 });
  };
  const below = (/** @type {Cell} */ caller, /** @type {number} */ whole, /** @type {{ left: number, width: number, level: number }} */ { left, width, level }) => {
    const end = left + width;
    let small = 0;
    for (const row of called.get(caller) ?? []) {
      const own = whole > 0 ? (width * Number(row[timeAt])) / whole : 0;
      if (own < least) small++;
      else {
        add(row, left, own, level);
        left += own;
      }
    }
    if (small > 0 && end - left >= least / 2) others.push({ count: small, left, width: end - left, level });
  };
  const top = topmost === null ? undefined : byPath.get(topmost);
  if (top === undefined) {
    const whole = (called.get(null) ?? []).reduce((sum, row) => sum + Number(row[timeAt]), 0);
    below(null, whole, { left: 0, width: 100, level: 0 });
  } else {
    const above = [];
    for (let row = byPath.get(top[callerAt]); row; row = byPath.get(row[callerAt])) above.unshift(row);
    above.forEach((row, level) => boxes.push({ row, path: Number(row[pathAt]), left: 0, width: 100, level, isAbove: true }));
    add(top, 0, 100, above.length);
  }
  return { boxes, others };
}
