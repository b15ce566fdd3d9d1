// @ts-check
// From the text of a part to bins and calls. In: base64 of numbers, seven bits a byte, the lowest first. Out: typed arrays.
// The other half is report/timeline/data.rs.

/** A way through a part's numbers. */
class Numbers {
  /** @param {string} text */
  constructor(text) {
    const raw = atob(text);
    this.bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) this.bytes[i] = raw.charCodeAt(i);
    this.at = 0;
  }

  next() {
    let sum = 0;
    let weight = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error("a part of the timeline is cut off");
      sum += (byte & 0x7f) * weight;
      if (byte < 0x80) return sum;
      weight *= 128;
    }
  }

  signed() {
    const number = this.next();
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  }
}

/** One row's bins: cell `i` is of bin `bin[i]`, its times are `fn` and `ns` from `first[i]` on.
 * @typedef {{bin: Uint32Array, first: Uint32Array, fn: Uint16Array, ns: Float64Array, waited: Float64Array,
 *   productive: Float64Array, longestFn: Uint16Array, longest: Float64Array}} RowBins */

/** @param {string} text @param {number} rows @param {number} firstBin @returns {RowBins[]} */
export function bins(text, rows, firstBin) {
  const numbers = new Numbers(text);
  const all = [];
  for (let row = 0; row < rows; row++) {
    const count = numbers.next();
    const cells = {
      bin: new Uint32Array(count), first: new Uint32Array(count + 1), waited: new Float64Array(count),
      productive: new Float64Array(count), longestFn: new Uint16Array(count), longest: new Float64Array(count),
    };
    const fn = [];
    const ns = [];
    let bin = firstBin;
    for (let cell = 0; cell < count; cell++) {
      bin += numbers.next();
      cells.bin[cell] = bin++;
      for (let times = numbers.next(); times > 0; times--) {
        fn.push(numbers.next());
        ns.push(numbers.next());
      }
      cells.first[cell + 1] = fn.length;
      cells.waited[cell] = numbers.next();
      cells.productive[cell] = numbers.next();
      cells.longestFn[cell] = numbers.next();
      cells.longest[cell] = numbers.next();
    }
    all.push({ ...cells, fn: Uint16Array.from(fn), ns: Float64Array.from(ns) });
  }
  return all;
}

/** What calls have in common. Bytes are -1 where they are not known; a call itself moves those of `moves`, which a persistent
 * request has at each start.
 * @typedef {{fn: number, site: number, object: number, peer: number, tag: number, source: number, sourceTag: number,
 *   sent: number, received: number, moves: [number, number]}} Kind */
/** @typedef {{state: number, from: number, until: number, cause: number, place: number}} Wait */
/** @typedef {{waits?: Wait[], entries?: number, productive?: number, count?: number, inside?: number, source?: number,
 *   got?: number, failed?: boolean, open?: boolean, thread?: number}} Extra */
/** One row's calls. The first `carried` began in an earlier chunk.
 * @typedef {{carried: number, kind: Uint32Array, start: Float64Array, end: Float64Array, reach: Float64Array,
 *   extra: (Extra | undefined)[], marks: Float64Array}} RowCalls */
/** @typedef {{begin: number, end: number, from: number, to: number, bytes: number}} Message */
/** @typedef {{kinds: Kind[], rows: RowCalls[], messages: Message[]}} Chunk */

const [WAITED, ENGINE, SEVERAL, ARRIVED, FAILED, OPEN, THREAD] = [1, 2, 4, 8, 16, 32, 64];

/** @param {Numbers} numbers @param {number} flags @param {number} start @returns {Extra} */
function extra(numbers, flags, start) {
  /** @type {Extra} */
  const extra = {};
  if (flags & WAITED) {
    extra.waits = Array.from({ length: numbers.next() }, () => {
      const state = numbers.next();
      const from = start + numbers.next();
      return { state, from, until: from + numbers.next(), cause: numbers.next() - 1, place: numbers.next() };
    });
  }
  if (flags & ENGINE) [extra.entries, extra.productive] = [numbers.next(), numbers.next()];
  if (flags & SEVERAL) [extra.count, extra.inside] = [numbers.next(), numbers.next()];
  if (flags & ARRIVED) [extra.source, extra.got] = [numbers.signed(), numbers.next() - 1];
  if (flags & FAILED) extra.failed = true;
  if (flags & OPEN) extra.open = true;
  if (flags & THREAD) extra.thread = numbers.next();
  return extra;
}

/** @param {Numbers} numbers @param {number} from @returns {RowCalls} */
function rowCalls(numbers, from) {
  const kinds = Array.from({ length: numbers.next() }, () => numbers.next());
  const carried = numbers.next();
  const count = numbers.next();
  const [kind, start, end, reach] = [
    new Uint32Array(count), new Float64Array(count), new Float64Array(count), new Float64Array(count),
  ];
  const extras = new Array(count);
  let last = from;
  for (let call = 0; call < count; call++) {
    kind[call] = kinds[numbers.next()];
    const flags = numbers.next();
    start[call] = last += numbers.signed();
    end[call] = last + numbers.next();
    // The latest end so far: where to begin to look for what reaches into a time.
    reach[call] = Math.max(end[call], call > 0 ? reach[call - 1] : -Infinity);
    if (flags) extras[call] = extra(numbers, flags, last);
  }
  const marks = new Float64Array(3 * numbers.next());
  last = from;
  for (let mark = 0; mark < marks.length; mark += 3) {
    marks[mark] = last += numbers.signed();
    marks[mark + 1] = last + numbers.next();
    marks[mark + 2] = numbers.next();
  }
  return { carried, kind, start, end, reach, extra: extras, marks };
}

/** @param {Numbers} numbers @returns {Kind} */
function kind(numbers) {
  return {
    fn: numbers.next(), site: numbers.next(), object: numbers.next(), peer: numbers.signed(), tag: numbers.signed(),
    source: numbers.signed(), sourceTag: numbers.signed(), sent: numbers.next() - 1, received: numbers.next() - 1,
    moves: [numbers.next(), numbers.next()],
  };
}

/** @param {string} text @param {number} rows @param {number} from @returns {Chunk} */
export function chunk(text, rows, from) {
  const numbers = new Numbers(text);
  const kinds = Array.from({ length: numbers.next() }, () => kind(numbers));
  const all = Array.from({ length: rows }, () => rowCalls(numbers, from));
  let last = from;
  const messages = Array.from({ length: numbers.next() }, () => {
    const begin = last += numbers.signed();
    return { begin, end: begin + numbers.signed(), from: numbers.next(), to: numbers.next(), bytes: numbers.next() };
  });
  return { kinds, rows: all, messages };
}

/** Calls of one function, call site and power of two of bytes, -1 where there are none. A call counts where it begins.
 * @typedef {{fn: number, site: number, power: number, calls: number, ns: number, bytes: number, entries: number, productive: number}} CallSum */
/** Waits of one function and call site for one reason.
 * @typedef {{fn: number, site: number, state: number, cause: number, place: number, waits: number, ns: number, longest: number}} WaitSum */
/** @typedef {{from: number, to: number, messages: number, bytes: number}} PairSum */
/** What several chunks come to. @typedef {{rows: {calls: CallSum[], waits: WaitSum[]}[], pairs: PairSum[]}} ChunkSums */

/** @param {string} text @param {number} rows @returns {ChunkSums} */
export function sums(text, rows) {
  const numbers = new Numbers(text);
  const list = (/** @type {() => any} */ one) => Array.from({ length: numbers.next() }, one);
  const kinds = list(() => ({ fn: numbers.next(), site: numbers.next(), power: numbers.next() - 1 }));
  const all = Array.from({ length: rows }, () => ({
    calls: list(() => ({
      ...kinds[numbers.next()], calls: numbers.next(), ns: numbers.next(), bytes: numbers.next(), entries: numbers.next(), productive: numbers.next(),
    })),
    waits: list(() => ({
      fn: numbers.next(), site: numbers.next(), state: numbers.next(), cause: numbers.next() - 1, place: numbers.next(),
      waits: numbers.next(), ns: numbers.next(), longest: numbers.next(),
    })),
  }));
  const pairs = list(() => ({ from: numbers.next(), to: numbers.next(), messages: numbers.next(), bytes: numbers.next() }));
  return { rows: all, pairs };
}
