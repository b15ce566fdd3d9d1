// @ts-check
/**
 * Tables of ranks, of a part of the run: how each rank's time is spent.
 *
 * @import { Table } from "#units"
 * @import { RowSums, Sums } from "#timeline-sums"
 * @import { Fields } from "#records"
 */
import { percent, rankOf, rows, seconds } from "#records";

/** A row's time inside MPI. */
function inMpi(/** @type {RowSums} */ { calls }) {
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
