// @ts-check
/**
 * The order of a table's rows, and which of them a filter leaves.
 *
 * @import { Cell, Column } from "#units"
 */
import { figure } from "#units";

/** Compares two cells of a column, upwards; what is unknown comes last either way. */
export function compare(
  /** @type {Column} */ column,
  /** @type {Cell} */ a,
  /** @type {Cell} */ b,
  /** @type {boolean} */ downwards,
) {
  const [x, y] = [key(column, a), key(column, b)];
  if (x === null || y === null) return Number(x === null) - Number(y === null);
  const order = typeof x === "string" || typeof y === "string" ? collator.compare(String(x), String(y)) : x - y;
  return downwards ? -order : order;
}

const collator = new Intl.Collator("en", { numeric: true });

/** What a cell is sorted by. @returns {number | string | null} */
function key(/** @type {Column} */ column, /** @type {Cell} */ cell) {
  const [unit, value] = figure(column, cell);
  if (!Array.isArray(value)) return value ?? null;
  // Ranks of spawned worlds behind those of the first.
  return unit === "rank" ? (value[0] === null ? null : value[1] * 2 ** 32 + value[0]) : value[1];
}

/** Whether a column is sorted downwards first: figures are, names and ranks are not. */
export function beginsDownwards(/** @type {Column} */ column) {
  return !["text", "rank", "number"].includes(column.unit);
}

/** Whether a row in words has all words of a filter. */
export function matches(/** @type {string[]} */ row, /** @type {string} */ filter) {
  const text = row.join(" ").toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
