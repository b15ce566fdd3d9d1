// @ts-check
// From the text of a part to bins, calls and sums. In: base64 of numbers, seven bits a byte, the lowest first, and the layouts of
// records that the page's data has. Out: typed arrays and records. The analyzer describes the records in records.rs.

/** Names and encodings of each record's fields; what the bits of a call's flags say; addends of which several come to the most.
 * @typedef {{records: Record<string, [string, string][]>, extras: string[], most: string[], addends: string[]}} Layouts */

/** How fields are read; some with the same field of the record before. @type {Record<string, (numbers: Numbers, last: number) => number>} */
const ENCODINGS = {
  number: (numbers) => numbers.next(),
  signed: (numbers) => numbers.signed(),
  since: (numbers, last) => last + numbers.signed(),
  // What there is not is no number, nor are sums with it.
  optional: (numbers) => (numbers.next() || NaN) - 1,
};

/** A way through a part's numbers. */
class Numbers {
  /** @param {string} text @param {Layouts} layouts */
  constructor(text, layouts) {
    const raw = atob(text);
    this.bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) this.bytes[i] = raw.charCodeAt(i);
    this.at = 0;
    this.layouts = layouts;
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

  /** A record of this name, which is behind another. @param {string} name @param {Record<string, number>} [last] */
  record(name, last = {}) {
    /** @type {any} */
    const record = {};
    for (const [field, encoding] of this.layouts.records[name]) record[field] = ENCODINGS[encoding](this, last[field]);
    return record;
  }

  /** A list of such records; `last` is before its first. @param {string} name @param {Record<string, number>} [last] @returns {any[]} */
  list(name, last = {}) {
    return Array.from({ length: this.next() }, () => (last = this.record(name, last)));
  }
}

/** One row's bins: cell `i` is of bin `bin[i]`, its times are `fn` and `ns` from `first[i]` on.
 * @typedef {{bin: Uint32Array, first: Uint32Array, fn: Uint16Array, ns: Float64Array, waited: Float64Array}} RowBins */

/** @param {string} text @param {Layouts} layouts @param {number} rows @param {number} firstBin @returns {RowBins[]} */
export function bins(text, layouts, rows, firstBin) {
  const numbers = new Numbers(text, layouts);
  return Array.from({ length: rows }, () => {
    const count = numbers.next();
    const cells = { bin: new Uint32Array(count), first: new Uint32Array(count + 1), waited: new Float64Array(count) };
    const [fn, ns] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
    /** @type {any} */
    let last = { bin: firstBin };
    for (let cell = 0; cell < count; cell++) {
      last = numbers.record("bin", last);
      cells.bin[cell] = last.bin;
      cells.waited[cell] = last.waited;
      for (const time of numbers.list("binTime")) {
        fn.push(time.fn);
        ns.push(time.ns);
      }
      cells.first[cell + 1] = fn.length;
    }
    return { ...cells, fn: Uint16Array.from(fn), ns: Float64Array.from(ns) };
  });
}

/** What calls have in common. Bytes are no number where they are not known; `bytes` are what one call moves.
 * @typedef {{fn: number, site: number, object: number, peer: number, tag: number, source: number, sourceTag: number,
 *   sent: number, received: number, size: number, bytes: number}} Kind */
/** @typedef {{state: number, from: number, until: number, cause: number, place: number}} Wait */
/** What a call has besides: addends that its kind does not say, and facts.
 * @typedef {{waits?: Wait[], entries?: number, productive?: number, calls?: number, ns?: number, bytes?: number, source?: number,
 *   got?: number, failed?: boolean, open?: boolean, thread?: number}} Extra */
/** One row's calls. The first `carried` began in an earlier chunk.
 * @typedef {{carried: number, kind: Uint32Array, start: Float64Array, end: Float64Array, reach: Float64Array,
 *   extra: (Extra | undefined)[], marks: Float64Array}} RowCalls */
/** @typedef {{begin: number, end: number, from: number, to: number, bytes: number}} Message */
/** @typedef {{kinds: Kind[], rows: RowCalls[], messages: Message[]}} Chunk */

/** @param {Numbers} numbers @param {number} flags @param {number} start @returns {Extra} */
function extra(numbers, flags, start) {
  /** @type {any} */
  const extra = {};
  numbers.layouts.extras.forEach((name, bit) => {
    if (!(flags & (1 << bit))) return;
    if (name === "waits") {
      extra.waits = numbers.list("wait").map(({ state, after, length, cause, place }) => {
        return { state, from: start + after, until: start + after + length, cause, place };
      });
    } else if (name in numbers.layouts.records) Object.assign(extra, numbers.record(name));
    else extra[name] = true;
  });
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
  /** @type {any} */
  let last = { start: from };
  for (let call = 0; call < count; call++) {
    last = numbers.record("call", last);
    kind[call] = kinds[last.kind];
    start[call] = last.start;
    end[call] = last.start + last.length;
    // The latest end so far: where to begin to look for what reaches into a time.
    reach[call] = Math.max(end[call], call > 0 ? reach[call - 1] : -Infinity);
    if (last.flags) extras[call] = extra(numbers, last.flags, last.start);
  }
  const marks = numbers.list("mark", { start: from }).flatMap(({ start, length, count }) => [start, start + length, count]);
  return { carried, kind, start, end, reach, extra: extras, marks: Float64Array.from(marks) };
}

/** @param {string} text @param {Layouts} layouts @param {number} rows @param {number} from @returns {Chunk} */
export function chunk(text, layouts, rows, from) {
  const numbers = new Numbers(text, layouts);
  const kinds = numbers.list("kind");
  const all = Array.from({ length: rows }, () => rowCalls(numbers, from));
  const messages = numbers.list("message", { begin: from });
  for (const message of messages) message.end = message.begin + message.length;
  return { kinds, rows: all, messages };
}

/** One row's samples in the order of time: when, the function on call paths, and the processor time until then since the one before.
 * @typedef {{at: number, path: number, computed: number}[]} RowSamples */

/** @param {string} text @param {Layouts} layouts @param {number} from @returns {RowSamples} */
export function samples(text, layouts, from) {
  return /** @type {any} */ (new Numbers(text, layouts).list("sample", { at: from }));
}

/** Calls of one function, call site and size. A call counts where it begins.
 * @typedef {{fn: number, site: number, size: number, calls: number, ns: number, ofOthers: number, bytes: number, entries: number, productive: number}} CallSum */
/** Waits of one function and call site for one reason.
 * @typedef {{fn: number, site: number, state: number, cause: number, place: number, waits: number, waited: number, longest: number}} WaitSum */
/** @typedef {{from: number, to: number, messages: number, bytes: number}} PairSum */
/** What several chunks come to. @typedef {{rows: {calls: CallSum[], waits: WaitSum[]}[], pairs: PairSum[]}} ChunkSums */

/** @param {string} text @param {Layouts} layouts @param {number} rows @returns {ChunkSums} */
export function sums(text, layouts, rows) {
  const numbers = new Numbers(text, layouts);
  const kinds = numbers.list("callSumKind");
  const all = Array.from({ length: rows }, () => ({
    calls: numbers.list("callSum").map(({ kind, ...sum }) => ({ ...kinds[kind], ...sum })),
    waits: numbers.list("waitSum"),
  }));
  return { rows: all, pairs: numbers.list("pairSum") };
}
