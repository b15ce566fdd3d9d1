// @ts-check
/**
 * Tables of ranks, of a part of the run: how each rank's time is spent, and how efficiently.
 *
 * @import { Cell, Table } from "#units"
 * @import { RowSums, Sums } from "#timeline-sums"
 * @import { Fields } from "#records"
 */
import { percent, rankOf, rows, seconds } from "#records";

/** A row's time inside MPI. */
function inMpi(/** @type {Pick<RowSums, "calls">} */ { calls }) {
  return calls.reduce((time, { ns }) => time + ns, 0);
}

/** Wall time, time in MPI, calls. What a rank is, it is in every part of the run. */
export function ranks(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  const always = new Map(of.rows.map((row) => [String(row[0]), Object.fromEntries(of.columns.map(({ key }, at) => [key, row[at]]))]));
  return rows(of, sums.rows.map((row) => {
    const rank = rankOf(data, row.row);
    return {
      ...always.get(String(rank)),
      rank,
      wall_time_s: seconds(row.ran),
      mpi_time_s: seconds(inMpi(row)),
      mpi_share_percent: percent(inMpi(row), row.ofThreads),
      calls: row.calls.reduce((sum, { calls }) => sum + calls, 0),
    };
  }));
}

/** Computation, waiting, and the rest of the calls' time by what they are for. */
export function rankTime(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  return rows(of, sums.rows.map((row) => {
    /** @type {Map<string, { ns: number, waited: number }>} */
    const parts = new Map();
    const part = (/** @type {number} */ fn) => {
      const { part: name } = data.functions[fn];
      const known = parts.get(name) ?? { ns: 0, waited: 0 };
      parts.set(name, known);
      return known;
    };
    row.calls.forEach(({ fn, ns }) => (part(fn).ns += ns));
    row.waits.forEach(({ fn, ns }) => (part(fn).waited += ns));
    /** @type {Fields} */
    const record = { rank: rankOf(data, row.row), computation_s: seconds(Math.max(0, row.ofThreads - inMpi(row))) };
    let waiting = 0;
    for (const [name, { ns, waited }] of parts) {
      const share = Math.min(waited, ns);
      waiting += share;
      record[name] = ns > share ? seconds(ns - share) : undefined;
    }
    return { ...record, waiting_s: seconds(waiting) };
  }));
}

/** What efficiency is not about: before the one MPI is not there, behind the other no more. */
const EDGES = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize"];

/**
 * The factors that need no replay of the run: those of useful time, which a rank with several threads spends in one of them.
 * metrics/pop.rs has the formulas.
 */
export function efficiency(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  if (sums.rows.some(({ row }) => data.ranks[row].threads > 1)) return null;
  const useful = sums.rows.map((row) => Math.max(0, row.ran - inMpi(row)));
  const edges = (/** @type {RowSums} */ { calls }) => inMpi({ calls: calls.filter(({ fn }) => EDGES.includes(data.functions[fn].name)) });
  const time = Math.max(...sums.rows.map((row) => row.ran - edges(row)));
  const [longest, mean] = [Math.max(...useful), useful.reduce((sum, time) => sum + time, 0) / useful.length];
  /** @type {Record<string, Cell>} */
  const factors = {
    "parallel efficiency": percent(mean, time),
    "load balance": percent(mean, longest),
    "communication efficiency": percent(longest, time),
  };
  const names = of.columns.findIndex(({ key }) => key === "metric");
  return of.rows.map((row) => row.map((cell, at) => (of.columns[at].key === "percent" ? factors[row[names]?.[1]] ?? null : cell)));
}
