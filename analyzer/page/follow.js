// @ts-check
/**
 * The table of functions, of what the timeline shows.
 *
 * In: the table of the whole run, and the timeline's sums over the part in view. Out: rows of the same columns; what sums of time do not
 * tell is null.
 *
 * @import { Cell, Column, Table } from "#units"
 * @typedef {{ name: string, ns: number, most: number, of: string }} FunctionSum
 */

/** A cell of a function's row. @returns {Cell} */
function cell(
  /** @type {Column} */ column,
  /** @type {FunctionSum} */ sum,
  /** @type {number} */ ranks,
  /** @type {number} */ all,
) {
  switch (column.key) {
    case "function":
      return sum.name;
    case "time_max_s":
      return sum.most / 1e9;
    case "time_max_rank":
      return /^\d+$/.test(sum.of) ? Number(sum.of) : null;
    case "time_mean_s":
      return sum.ns / ranks / 1e9;
    case "time_total_s":
      return sum.ns / 1e9;
    case "time_share_percent":
      return all > 0 ? (100 * sum.ns) / all : null;
    default:
      return null;
  }
}

/** Rows for these sums. */
export function rows(/** @type {Table} */ table, /** @type {{ ranks: any[], functions: FunctionSum[] }} */ sums) {
  const functions = sums.functions.filter((sum) => sum.ns > 0);
  const all = functions.reduce((time, sum) => time + sum.ns, 0);
  return functions.map((sum) => table.columns.map((column) => cell(column, sum, Math.max(1, sums.ranks.length), all)));
}
