// @ts-check
// What is known of the run: bins in the page, and parts beside it that are loaded when they are looked at. In: the page's data
// (PageData of page_data.rs). Out: bins, chunks and what chunks come to, for a time.

import { bins as decodeBins, chunk as decodeChunk, samples as decodeSamples, sums as decodeSums } from "#timeline-decode";

/** Bins of all rows. `sums[row * classes + class]` adds up the time from the first bin on: a time's is the difference of two.
 * @typedef {{from: number, width: number, first: number, count: number, rows: import("#timeline-decode").RowBins[],
 *   sums: Float64Array[], waits: Float64Array[]}} Level */

/** Parts from beside the page that are kept at a time: single calls take a few MiB each. */
const KEPT = 64;

/** Parts that wait for their script, by its address: two runs in a document have parts of the same names.
 * @type {Map<string, (text: string) => void>} */
const awaited = new Map();

/** Who waits for a part: all ask again when any script is over. @type {(() => void)[]} */
const waiting = [];

export class Store {
  /** @param {any} data @param {() => void} changed called when a part has come */
  constructor(data, changed) {
    /** As the page has it: rows by rank. */
    this.page = data;
    /** The same with its rows in the order that is shown. */
    this.data = data;
    /** The name of that order, nothing for that by rank; each place's row in the page, and each row's place. */
    this.ordered = "";
    this.rowAt = data.ranks.map((/** @type {any} */ _, /** @type {number} */ at) => at);
    this.placeOf = this.rowAt;
    this.changed = changed;
    this.classes = data.classes.length;
    this.classOf = data.functions.map((/** @type {any} */ one) => one.class);
    this.openClass = this.classes - 1;
    /** @type {Map<string, any>} */
    this.parts = new Map();
    /** Those that came from beside the page. @type {string[]} */
    this.loaded = [];
    /** @type {Set<string>} */
    this.failed = new Set();
    /** By the row in the page. @type {import("#timeline-decode").RowSamples[]} */
    this.ofRows = data.samples.map((/** @type {string} */ text) => decodeSamples(text, data.layouts, data.from));
    this.coarse = this.level(data.bins, decodeBins(data.bins.data, data.layouts, data.ranks.length, 0), 0, data.bins.count);
    for (const chunk of data.chunks) {
      if (chunk.data !== null) this.parts.set(chunk.name, decodeChunk(chunk.data, data.layouts, data.ranks.length, chunk.from));
    }
    Object.assign(globalThis, {
      overhearTimelinePart: (/** @type {string} */ _, /** @type {string} */ text) => {
        const script = /** @type {HTMLScriptElement | null} */ (document.currentScript);
        awaited.get(script?.src ?? "")?.(text);
      },
    });
  }

  /** @param {any} bins @param {import("#timeline-decode").RowBins[]} rows @param {number} first @param {number} count
   * @returns {Level} */
  level(bins, rows, first, count) {
    const sums = [];
    const waits = [];
    for (const [at, row] of rows.entries()) {
      const sum = new Float64Array((count + 1) * this.classes);
      const waited = new Float64Array(count + 1);
      for (let cell = 0; cell < row.bin.length; cell++) {
        const bin = row.bin[cell] - first + 1;
        for (let time = row.first[cell]; time < row.first[cell + 1]; time++) {
          sum[bin * this.classes + this.classOf[row.fn[time]]] += row.ns[time];
        }
        waited[bin] = row.waited[cell];
      }
      this.markOpen(sum, bins.from + first * bins.width, bins.width, count, this.page.ranks[at]);
      for (let i = this.classes; i < sum.length; i++) sum[i] += sum[i - this.classes];
      for (let i = 1; i < waited.length; i++) waited[i] += waited[i - 1];
      sums.push(sum);
      waits.push(waited);
    }
    return { from: bins.from + first * bins.width, width: bins.width, first, count, rows, sums, waits };
  }

  /** Puts the rows into an order, by its name. @param {string} name */
  arrange(name) {
    const { ranks, waits, orders } = this.page;
    const known = orders.find((/** @type {any} */ order) => order.name === name);
    /** @type {number[]} */
    const rowAt = known?.rows ?? ranks.map((/** @type {any} */ _, /** @type {number} */ at) => at);
    const placeOf = rowAt.map(() => 0);
    rowAt.forEach((row, place) => (placeOf[row] = place));
    const was = rowAt.map((row) => this.placeOf[row]);
    const place = this.rowAt.map((row) => placeOf[row]);
    for (const part of [this.coarse, ...this.parts.values()]) moved(part, was, place);
    [this.ordered, this.rowAt, this.placeOf] = [known === undefined ? "" : name, rowAt, placeOf];
    this.data = { ...this.page, ranks: rowAt.map((row) => ranks[row]), waits: waits.map((/** @type {any} */ wait) => ({ ...wait, row: placeOf[wait.row] })) };
  }

  /** A row's samples from one time until another. @param {number} row @param {number} from @param {number} to */
  samples(row, from, to) {
    return (this.ofRows[this.rowAt[row]] ?? []).filter(({ at }) => at >= from && at < to);
  }

  /** What a row computes at a time that is outside its calls: the functions of its next sample, if that one reaches so far back.
   * @param {number} row @param {number} time */
  computes(row, time) {
    const next = (this.ofRows[this.rowAt[row]] ?? []).find(({ at }) => at >= time);
    if (next === undefined || next.at - next.computed > time) return "";
    const { sampled, callers } = this.data;
    return callers[next.path] === null ? sampled[next.path] : `${sampled[next.path]}, called by ${sampled[callers[next.path]]}`;
  }

  /** Names of neighboring rows. @param {number} first @param {number} count */
  rowNames(first, count) {
    const [one, last] = [first, first + count - 1].map((row) => this.data.ranks[row].label);
    if (count === 1) return one;
    return this.ordered === "" ? `${one}-${last}` : `${one}, … (${count})`;
  }

  /** Shows the time of calls that have not returned as such: they last until their rank's end. @param {Float64Array} sum
   * @param {number} from @param {number} width @param {number} count @param {any} rank */
  markOpen(sum, from, width, count, rank) {
    for (const [own, since] of rank.open) {
      const end = Math.max(since, ...rank.spans.map((/** @type {number[]} */ span) => span[1]));
      for (let bin = Math.max(0, Math.floor((since - from) / width)); bin < count; bin++) {
        const [begin, over] = [from + bin * width, from + (bin + 1) * width];
        const first = (bin + 1) * this.classes;
        const time = Math.min(Math.max(0, Math.min(over, end) - Math.max(begin, since)), sum[first + own]);
        sum[first + own] -= time;
        sum[first + this.openClass] += time;
      }
    }
  }

  /** A part by its name: nothing yet where it has to be loaded first.
   * @template T @param {string} name @param {(text: string) => T} decode @returns {T | undefined} */
  part(name, decode) {
    const there = this.parts.get(name);
    if (there !== undefined || this.failed.has(name)) return there;
    const script = document.createElement("script");
    script.src = `${encodeURIComponent(this.data.folder)}/${name}.js`;
    if (awaited.has(script.src)) return undefined;
    const over = () => {
      awaited.delete(script.src);
      script.remove();
      for (const go of waiting.splice(0)) go();
      this.changed();
    };
    awaited.set(script.src, (text) => this.keep(name, decode(text)));
    script.onload = () => {
      // A script that was cut short is loaded, and brings nothing.
      if (!this.parts.has(name)) this.failed.add(name);
      over();
    };
    script.onerror = () => {
      this.failed.add(name);
      over();
    };
    document.head.append(script);
    return undefined;
  }

  /** Keeps a part, and lets go of the one that came first where there are many: who looks there again loads it again.
   * @param {string} name @param {any} part */
  keep(name, part) {
    this.parts.set(name, moved(part, this.rowAt, this.placeOf));
    this.loaded.push(name);
    if (this.loaded.length > KEPT) this.parts.delete(this.loaded.shift() ?? "");
  }

  /** A part when it has come, however long that takes; nothing where it cannot be read.
   * @template T @param {string} name @param {() => T | undefined} ask @returns {Promise<T | undefined>} */
  async there(name, ask) {
    for (;;) {
      const part = ask();
      if (part !== undefined || this.failed.has(name)) return part;
      await new Promise((/** @type {(value?: undefined) => void} */ resolve) => waiting.push(resolve));
    }
  }

  /** Why something is not shown. */
  missing() {
    const [first] = this.failed;
    return first === undefined ? "" : `${this.data.folder}/${first}.js cannot be read. Keep the folder beside the page.`;
  }

  /** Levels that show a time, so that a pixel is about a bin: finer ones where few parts hold them.
   * @param {number} from @param {number} to @param {number} pixels @returns {Level[]} */
  levels(from, to, pixels) {
    const fine = this.data.fine;
    const enough = (to - from) / pixels >= this.coarse.width;
    if (fine === null || enough) return [this.coarse];
    const last = fine.files.length - 1;
    const file = (/** @type {number} */ at) => Math.floor((at - fine.from) / fine.width / fine.each);
    const [begin, end] = [Math.max(0, file(from)), Math.min(last, file(to))];
    if (end - begin > 3) return [this.coarse];
    const levels = [];
    for (let number = begin; number <= end; number++) {
      const first = number * fine.each;
      const count = Math.min(fine.each, fine.count - first);
      const part = this.part(fine.files[number], (text) => {
        return this.level(fine, decodeBins(text, this.data.layouts, this.data.ranks.length, first), first, count);
      });
      if (part === undefined) return [this.coarse];
      levels.push(part);
    }
    return levels;
  }

  /** About how many calls lie in a time. @param {number} from @param {number} to */
  estimate(from, to) {
    let sum = 0;
    for (const chunk of this.data.chunks) {
      const shared = Math.min(to, chunk.to) - Math.max(from, chunk.from);
      if (shared > 0) sum += chunk.calls * shared / Math.max(1, chunk.to - chunk.from);
    }
    return sum;
  }

  /** The chunks of a time: nothing where there are too many calls, or some have to be loaded first.
   * @param {number} from @param {number} to @returns {import("#timeline-decode").Chunk[] | undefined} */
  calls(from, to) {
    const there = this.data.chunks.filter((/** @type {any} */ chunk) => chunk.from < to && chunk.to >= from);
    // Bins of many ranks are few: their calls take over earlier.
    const most = Math.max(60_000, 250 * this.data.ranks.length);
    if (there.length > 8 || this.estimate(from, to) > most) return undefined;
    const chunks = there.map((/** @type {any} */ chunk) => this.chunk(chunk));
    return chunks.includes(undefined) ? undefined : chunks;
  }

  /** @param {any} chunk @returns {import("#timeline-decode").Chunk | undefined} */
  chunk(chunk) {
    return this.part(chunk.name, (text) => decodeChunk(text, this.data.layouts, this.data.ranks.length, chunk.from));
  }

  /** What several chunks come to, by the name of the file. @param {string} name @returns {import("#timeline-decode").ChunkSums | undefined} */
  sums(name) {
    return this.part(name, (text) => decodeSums(text, this.data.layouts, this.data.ranks.length));
  }

  /** Nanoseconds that a row was there and its calls are known. @param {number} row @param {number} from @param {number} to */
  ran(row, from, to) {
    let sum = 0;
    for (const [begin, end] of this.data.ranks[row].spans) sum += Math.max(0, Math.min(to, end) - Math.max(from, begin));
    return sum;
  }
}

/** Moves the rows of a part: `was` has for each place the one where its row was before, `place` for each such its new one.
 * @template T @param {T} part @param {number[]} was @param {number[]} place @returns {T} */
function moved(part, was, place) {
  const own = /** @type {any} */ (part);
  for (const list of ["rows", "sums", "waits"].filter((list) => list in own)) own[list] = was.map((row) => own[list][row]);
  for (const ends of own.messages ?? own.pairs ?? []) [ends.from, ends.to] = [place[ends.from], place[ends.to]];
  delete own.lines;
  return part;
}
