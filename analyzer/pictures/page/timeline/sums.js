// @ts-check
// What calls, waits and messages come to in a time, for some rows. In: the store's chunks, and what several of them come to. Out: sums,
// exact for any time: of whole chunks as the analyzer added them up, call by call where the time begins and ends.
// The other half is time_sums.rs.

import { loaded } from "#timeline-find";
import { firstIn } from "#timeline-rows";

/** @typedef {import("#timeline-decode").CallSum} CallSum @typedef {import("#timeline-decode").WaitSum} WaitSum
 * @typedef {{path: number, computed: number}} SampleSum
 * @typedef {import("#timeline-decode").PairSum} PairSum @typedef {import("#timeline-store").Store} Store */
/** A row and its rank's name: addends of the time that it was there, by itself and over its threads, and what it did.
 * @typedef {{row: number, rank: number, there: Record<string, number>, calls: CallSum[], waits: WaitSum[], samples: SampleSum[]}} RowSums */
/** @typedef {{from: number, to: number, rows: RowSums[], pairs: PairSum[]}} Sums */

const LONG = 20; // Milliseconds that are added up for at once.

/** @param {[number, number]} one @param {number} from @param {number} to */
function overlap([begin, end], from, to) {
  return Math.max(0, Math.min(end, to) - Math.max(begin, from));
}

/** Adds to what has this key. @template T @param {Map<string, T>} map @param {string} key @param {() => T} none @returns {T} */
function entry(map, key, none) {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = none();
  map.set(key, made);
  return made;
}

class Adding {
  /** @param {Store} store @param {number} from @param {number} to @param {number[]} rows */
  constructor(store, from, to, rows) {
    this.store = store;
    this.from = from;
    this.to = to;
    this.rows = rows;
    // What begins at the very end is still there.
    this.over = to >= store.data.to ? Infinity : to;
    this.chosen = new Set(rows);
    this.calls = rows.map(() => /** @type {Map<string, CallSum>} */ (new Map()));
    this.waits = rows.map(() => /** @type {Map<string, WaitSum>} */ (new Map()));
    /** @type {Map<string, PairSum>} */
    this.pairs = new Map();
  }

  /** @param {number} at @param {{fn: number, site: number, size: number}} kind */
  callSum(at, { fn, site, size }) {
    return entry(this.calls[at], `${fn} ${site} ${size}`, () => ({ fn, site, size, calls: 0, ns: 0, ofOthers: 0, bytes: 0, entries: 0, productive: 0 }));
  }

  /** @param {number} at @param {{fn: number, site: number, state: number, cause: number, place: number}} kind */
  waitSum(at, { fn, site, state, cause, place }) {
    const none = () => ({ fn, site, state, cause, place, waits: 0, waited: 0, longest: 0 });
    return entry(this.waits[at], `${fn} ${site} ${state} ${cause} ${place}`, none);
  }

  /** Messages that one of the rows sends or gets. @param {number} from @param {number} to @param {number} messages @param {number} bytes */
  pair(from, to, messages, bytes) {
    if (!this.chosen.has(from) && !this.chosen.has(to)) return;
    const sum = entry(this.pairs, `${from} ${to}`, () => ({ from, to, messages: 0, bytes: 0 }));
    sum.messages += messages;
    sum.bytes += bytes;
  }

  /** Adds to each addend the other record's. @param {any} sum @param {any} more */
  add(sum, more) {
    const { addends, most } = this.store.data.layouts;
    for (const name of addends) {
      if (name in more) sum[name] = most.includes(name) ? Math.max(sum[name], more[name]) : sum[name] + more[name];
    }
  }

  /** What chunks come to that lie in the time. @param {import("#timeline-decode").ChunkSums} sums */
  addSums({ rows, pairs }) {
    this.rows.forEach((row, at) => {
      for (const more of rows[row].calls) this.add(this.callSum(at, more), more);
      for (const more of rows[row].waits) this.add(this.waitSum(at, more), more);
    });
    for (const { from, to, messages, bytes } of pairs) this.pair(from, to, messages, bytes);
  }

  /** The calls of a chunk, as far as they and the chunk's time lie in the time.
   * @param {import("#timeline-decode").Chunk} chunk @param {{from: number, to: number}} time of the chunk */
  async addChunk(chunk, time) {
    const [from, to] = [Math.max(this.from, time.from), Math.min(this.to, time.to)];
    const isLast = time.to >= this.store.data.to;
    const over = isLast ? this.over : to;
    let began = performance.now();
    for (const [at, row] of this.rows.entries()) {
      this.addRow(chunk, chunk.rows[row], at, from, to, over);
      if (performance.now() - began < LONG) continue;
      await breath();
      began = performance.now();
    }
    for (const message of chunk.messages) {
      if (message.begin >= from && message.begin < to) this.pair(message.from, message.to, 1, message.bytes);
    }
  }

  /** @param {import("#timeline-decode").Chunk} chunk @param {import("#timeline-decode").RowCalls} calls @param {number} at
   * @param {number} from @param {number} to @param {number} over */
  addRow(chunk, calls, at, from, to, over) {
    // Of a chunk's kinds, a row has few.
    const sums = /** @type {Map<number, CallSum>} */ (new Map());
    for (let call = firstIn(calls, from); call < calls.start.length && calls.start[call] < over; call++) {
      const [start, end, extra] = [calls.start[call], calls.end[call], calls.extra[call]];
      if (end < from) continue;
      const number = calls.kind[call];
      const kind = chunk.kinds[number];
      const sum = sums.get(number) ?? this.callSum(at, kind);
      sums.set(number, sum);
      const inside = extra?.ns ?? end - start;
      const shared = overlap([start, end], from, to);
      const ns = shared === end - start ? inside : shared * inside / (end - start);
      sum.ns += ns;
      if (extra?.thread) sum.ofOthers += ns;
      if (start >= from) {
        sum.calls += extra?.calls ?? 1;
        sum.bytes += extra?.bytes ?? kind.bytes;
        sum.entries += extra?.entries ?? 0;
        sum.productive += extra?.productive ?? 0;
      }
      for (const wait of extra?.waits ?? []) {
        const ns = overlap([wait.from, wait.until], from, to);
        const begins = wait.from >= from && wait.from < to;
        if (ns === 0 && !begins) continue;
        const waited = this.waitSum(at, { fn: kind.fn, site: kind.site, state: wait.state, cause: wait.cause, place: wait.place });
        this.add(waited, begins ? { waited: ns, waits: 1, longest: wait.until - wait.from } : { waited: ns });
      }
    }
  }

  /** Processor time of a row's samples by function. @param {number} row @returns {SampleSum[]} */
  sampled(row) {
    const sums = /** @type {Map<string, SampleSum>} */ (new Map());
    for (const { path, computed } of this.store.samples(row, this.from, this.over)) {
      entry(sums, String(path), () => ({ path, computed: 0 })).computed += computed;
    }
    return [...sums.values()];
  }

  /** @returns {Sums} */
  done() {
    const { store, from, to } = this;
    const rows = this.rows.map((row, at) => {
      const ran = store.ran(row, from, to);
      const { name, threads } = store.data.ranks[row];
      const there = { ranks: 1, ran, ofThreads: ran * Math.max(1, threads) };
      const calls = [...this.calls[at].values()].filter((sum) => sum.calls > 0 || sum.ns > 0);
      return { row, rank: name, there, calls, waits: [...this.waits[at].values()], samples: this.sampled(row) };
    });
    return { from, to, rows, pairs: [...this.pairs.values()] };
  }
}

/** What lies in a time: files of sums for whole chunks, as large as fit, and the chunks that are left. @param {any} data
 * @param {number} from @param {number} to */
export function pieces(data, from, to) {
  const { chunks } = data;
  const levels = [...data.sums].reverse();
  const isWhole = (/** @type {any} */ chunk) => from <= chunk.from && chunk.to <= to;
  const [files, single] = [/** @type {string[]} */ ([]), /** @type {any[]} */ ([])];
  for (let at = 0; at < chunks.length;) {
    const fits = levels.find(({ each }) => {
      return at % each === 0 && isWhole(chunks[at]) && isWhole(chunks[Math.min(at + each, chunks.length) - 1]);
    });
    if (fits !== undefined) files.push(fits.files[at / fits.each]);
    else if (chunks[at].from < to && chunks[at].to >= from) single.push(chunks[at]);
    at += fits?.each ?? 1;
  }
  return { files, single };
}

/** What some rows did from one time until another; nothing where a file cannot be read, or `isOver` says that nobody waits any more.
 * @param {Store} store @param {number} from @param {number} to @param {number[]} rows @param {() => boolean} isOver
 * @returns {Promise<Sums | null>} */
export async function sums(store, from, to, rows, isOver) {
  const adding = new Adding(store, from, to, rows);
  const { files, single } = pieces(store.data, from, to);
  for (const name of files) {
    const part = await store.there(name, () => store.sums(name));
    await breath();
    if (part === undefined || isOver()) return null;
    adding.addSums(part);
  }
  for (const part of single) {
    const chunk = await loaded(store, part);
    await breath();
    if (chunk === undefined || isOver()) return null;
    await adding.addChunk(chunk, part);
    if (isOver()) return null;
  }
  return adding.done();
}

/** Lets the page draw, and answer to keys. @returns {Promise<void>} */
function breath() {
  return new Promise((resolve) => setTimeout(resolve));
}
