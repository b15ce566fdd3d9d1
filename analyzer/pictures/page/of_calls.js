// @ts-check
/**
 * Tables of calls, of a part of the run: by function, call site and size, with what the engine did in them, and how evenly ranks share them.
 *
 * @import { Table } from "#units"
 * @import { CallSum } from "#timeline-decode"
 * @import { Sums } from "#timeline-sums"
 * @import { Fields, Group } from "#records"
 */
import { group, percent, placeOf, rankOf, rows, seconds } from "#records";

/** Figures that all tables of calls have. @returns {Fields} */
function figures(/** @type {any} */ data, /** @type {Sums} */ sums, /** @type {Group} */ group, /** @type {number} */ all) {
  const most = placeOf(group.times);
  return {
    ...group.fields,
    time_max_s: seconds(group.times[most]),
    time_max_rank: rankOf(data, sums.rows[most].row),
    time_mean_s: seconds(group.ns / sums.rows.length),
    time_total_s: seconds(group.ns),
    time_share_percent: percent(group.ns, all),
    calls: group.calls,
    bytes: group.bytes,
  };
}

function table(
  /** @type {Table} */ table,
  /** @type {any} */ data,
  /** @type {Sums} */ sums,
  /** @type {(sum: CallSum) => [string, Fields] | null} */ keyOf,
) {
  const all = sums.rows.flatMap(({ calls }) => calls).reduce((time, { ns }) => time + ns, 0);
  return rows(table, group(data, sums, keyOf).map((group) => figures(data, sums, group, all)));
}

/** A call's function. @returns {[string, Fields]} */
function byFunction(/** @type {any} */ data, /** @type {CallSum} */ { fn }) {
  const { name } = data.functions[fn];
  return [name, { function: name }];
}

/** By function. */
export function functions(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  return table(of, data, sums, (sum) => byFunction(data, sum));
}

/** By call site and function. */
export function sites(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  return table(of, data, sums, ({ fn, site }) => {
    const fields = { site: data.site_names[site], function: data.functions[fn].name };
    return [`${fields.function} ${fields.site}`, fields];
  });
}

/** By the bytes of a call and function, the smallest first. */
export function sizes(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  const found = table(of, data, sums, ({ fn, power }) => {
    const fields = { size_at_least_bytes: 2 ** power, function: data.functions[fn].name };
    return power < 0 ? null : [`${fields.function} ${power}`, fields];
  });
  const size = of.columns.findIndex(({ key }) => key === "size_at_least_bytes");
  return found.sort((a, b) => Number(a[size]) - Number(b[size]));
}

/** What the progress engine did in each function; how long that took, single calls do not tell. */
export function engine(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  const entered = group(data, sums, (sum) => byFunction(data, sum)).filter(({ entries }) => entries > 0);
  const record = (/** @type {Group} */ { fields, calls, entries, productive, ns }) => {
    return { ...fields, calls, entries, entries_per_call: entries / Math.max(1, calls), productive_entries: productive, time_s: seconds(ns) };
  };
  return rows(of, entered.sort((a, b) => b.entries - a.entries).map(record));
}

/** The most of any rank against the mean: first the computation, then each function. */
export function imbalance(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  const outside = sums.rows.map(({ ofThreads, calls }) => Math.max(0, ofThreads - calls.reduce((time, { ns }) => time + ns, 0)));
  const spread = (/** @type {string} */ name, /** @type {number[]} */ times) => {
    const [most, least] = [placeOf(times), placeOf(times, true)];
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    const over = Math.max(0, times[most] - mean);
    return {
      function: name,
      mean_s: seconds(mean),
      max_s: seconds(times[most]),
      max_rank: rankOf(data, sums.rows[most].row),
      min_s: seconds(times[least]),
      min_rank: rankOf(data, sums.rows[least].row),
      imbalance_s: seconds(over),
      imbalance_percent: times.length > 1 ? percent((over * times.length) / (times.length - 1), times[most]) : null,
    };
  };
  const called = group(data, sums, (sum) => byFunction(data, sum)).map(({ fields, times }) => spread(String(fields.function), times));
  called.sort((a, b) => b.imbalance_s - a.imbalance_s);
  return rows(of, [spread("(computation)", outside), ...called]);
}
