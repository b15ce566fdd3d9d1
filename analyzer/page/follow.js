// @ts-check
/**
 * The tables of ranks and of functions, of what the timeline shows.
 *
 * In: a table of the whole run, and the timeline's sums over the part in view. Out: rows of the same columns; what sums of time do not
 * tell is null.
 *
 * @import { Cell, Column, Table } from "#units"
 * @typedef {{ name: string, ns: number, most: number, of: string }} FunctionSum
 * @typedef {{ row: number, ran: number, ofThreads: number, inMpi: number }} RankSum
 * @typedef {{ ranks: RankSum[], functions: FunctionSum[] }} Sums
 */

/** A cell of a function's row. @returns {Cell} */
function ofFunction(
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

/** A cell of a rank's row. @returns {Cell} */
function ofRank(/** @type {Column} */ column, /** @type {RankSum} */ sum, /** @type {Cell} */ whole) {
  switch (column.key) {
    case "wall_time_s":
      return sum.ran / 1e9;
    case "mpi_time_s":
      return sum.inMpi / 1e9;
    case "mpi_share_percent":
      return sum.ofThreads > 0 ? (100 * sum.inMpi) / sum.ofThreads : null;
    case "calls":
      return null;
    default:
      return whole;
  }
}

/** The rows of functions. */
export function functions(/** @type {Table} */ table, /** @type {Sums} */ sums) {
  const called = sums.functions.filter((sum) => sum.ns > 0);
  const all = called.reduce((time, sum) => time + sum.ns, 0);
  return called.map((sum) => table.columns.map((column) => ofFunction(column, sum, Math.max(1, sums.ranks.length), all)));
}

/** The rows of ranks, as far as the table has them: in the order of the timeline's. */
export function ranks(/** @type {Table} */ table, /** @type {Sums} */ sums) {
  const shown = sums.ranks.filter(({ row }) => row < table.rows.length);
  return shown.map((sum) => table.columns.map((column, at) => ofRank(column, sum, table.rows[sum.row][at])));
}
