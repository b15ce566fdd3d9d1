// @ts-check
/**
 * Tables of what is between ranks, of a part of the run: messages that were sent in it, and waits.
 *
 * @import { Table } from "#units"
 * @import { Sums } from "#timeline-sums"
 */
import { percent, rank, rankOf, rows, seconds } from "#records";

/** Places on a side of the picture. */
const PLACES = 128;

/** Messages from rank to rank. Which bytes collective calls hand to whom is known of the whole run alone. */
export function pairs(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  const order = [...sums.pairs].sort((a, b) => b.bytes - a.bytes || b.messages - a.messages || a.from - b.from || a.to - b.to);
  return rows(of, order.map(({ from, to, messages, bytes }) => {
    const mean = Math.floor(bytes / messages);
    return { from_rank: rankOf(data, from), to_rank: rankOf(data, to), messages, bytes, message_mean_bytes: mean };
  }));
}

/** The same as places of a picture, neighbors together where there are more. */
export function heat(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  const known = [...new Set(sums.pairs.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const each = Math.ceil(known.length / PLACES);
  const place = new Map(known.map((row, at) => [row, known[Math.floor(at / each) * each]]));
  /** @type {Map<string, { from: number, to: number, bytes: number }>} */
  const places = new Map();
  for (const pair of sums.pairs) {
    const [from, to] = [place.get(pair.from) ?? 0, place.get(pair.to) ?? 0];
    const sum = places.get(`${from} ${to}`) ?? { from, to, bytes: 0 };
    places.set(`${from} ${to}`, { ...sum, bytes: sum.bytes + pair.bytes });
  }
  const shown = [...places.values()].filter(({ bytes }) => bytes > 0);
  return rows(of, shown.map(({ from, to, bytes }) => ({ from_rank: rankOf(data, from), to_rank: rankOf(data, to), bytes })));
}

/** Waits added up by a key, the one with the most time first. */
function waits(/** @type {Sums} */ sums, /** @type {(wait: any, row: number) => string} */ keyOf) {
  /** @type {Map<string, any>} */
  const groups = new Map();
  for (const { row, waits } of sums.rows) {
    for (const wait of waits) {
      const key = keyOf(wait, row);
      const sum = groups.get(key) ?? { ...wait, row, waits: 0, ns: 0, longest: 0 };
      groups.set(key, { ...sum, waits: sum.waits + wait.waits, ns: sum.ns + wait.ns, longest: Math.max(sum.longest, wait.longest) });
    }
  }
  return [...groups.values()].sort((a, b) => b.ns - a.ns);
}

/** Waits by their state. */
export function waitStates(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  const all = sums.rows.reduce((time, { ran }) => time + ran, 0);
  return rows(of, waits(sums, ({ state }) => String(state)).map(({ state, waits, ns, longest }) => {
    return { wait_state: data.states[state], wait_s: seconds(ns), wait_percent: percent(ns, all), waits, longest_s: seconds(longest) };
  }));
}

/** Waits by the place that waited and the one that was late. */
export function waitPlaces(/** @type {Table} */ of, /** @type {any} */ data, /** @type {Sums} */ sums) {
  const key = (/** @type {any} */ wait, /** @type {number} */ row) => {
    return [row, wait.fn, data.sites[wait.site], wait.state, wait.cause, wait.place].join(" ");
  };
  return rows(of, waits(sums, key).map(({ row, fn, site, state, cause, place, waits, ns }) => {
    const late = cause < 0 ? {} : {
      cause_rank: rank(data.names[cause]),
      cause_function: data.places[place].function,
      cause_site: data.places[place].site,
    };
    const own = { rank: rankOf(data, row), function: data.functions[fn].name, site: data.sites[site] };
    return { wait_state: data.states[state], ...own, ...late, wait_s: seconds(ns), waits };
  }));
}
