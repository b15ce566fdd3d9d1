// @ts-check
// Paints rows of single calls. A pixel shows the shares of all that happens in it, however many calls that are; what is wide enough
// has its function's name. Below each row a lane shows how much of it waited; ticks at its top are entries into the progress engine.

import { firstIn } from "#timeline-rows";
import { LinePainter, parts } from "#timeline-shares";

/** @typedef {import("#timeline-shares").Line} Line @typedef {import("#timeline-shares").Colors} Colors
 * @typedef {import("#timeline-decode").Chunk} Chunk */

const TICKS = 4; // Pixels between entries that have a tick each.

/** Time of a row in columns of pixels: by color, waited, and there at all. */
class ColumnTimes {
  /** @param {number} width @param {number} colors */
  constructor(width, colors) {
    [this.width, this.colors] = [width, colors];
    this.times = new Float64Array(width * colors);
    this.waits = new Float64Array(width);
    this.there = new Float64Array(width);
    this.one = new Float64Array(colors);
  }

  /** Adds a time, in columns, of which `weight` counts. @param {Float64Array} to @param {number} each @param {number} at
   * @param {number} begin @param {number} end @param {number} weight */
  add(to, each, at, begin, end, weight) {
    const [from, until] = [Math.max(begin, 0), Math.min(end, this.width)];
    if (!(until > from)) return;
    const last = Math.min(this.width - 1, Math.floor(until));
    for (let x = Math.floor(from); x <= last; x++) to[x * each + at] += weight * (Math.min(until, x + 1) - Math.max(from, x));
  }

  /** @param {LinePainter} painter */
  paint(painter) {
    const { colors, one } = this;
    for (let x = 0; x < this.width; x++) {
      let inMpi = 0;
      for (let color = 1; color < colors; color++) inMpi += one[color] = this.times[x * colors + color];
      const all = Math.max(this.there[x], inMpi);
      if (!(all > 1e-9)) continue;
      one[0] = all - inMpi;
      painter.column(x, one, all, this.waits[x] / all);
    }
  }
}

/** @param {ImageData} image @param {import("#timeline-store").Store} store @param {Chunk[]} chunks @param {Line[]} lines in pixels of
 * the image @param {number} from @param {number} to @param {Colors} colors
 * @param {(chunk: Chunk, row: number, call: number) => boolean} isDim */
export function paintCalls(image, store, chunks, lines, from, to, colors, isDim) {
  const { width } = image;
  const place = (/** @type {number} */ time) => (time - from) / (to - from) * width;
  const dim = colors.packed.length - 1;
  for (const line of lines) {
    const { lane, room } = parts(line.height);
    const own = line.count === 1 ? Math.max(1, store.data.ranks[line.first].threads) : 1;
    // Threads have a strip each where there is room.
    const strips = room / own >= 2 ? own : 1;
    const columns = Array.from({ length: strips }, () => new ColumnTimes(width, colors.packed.length));
    for (let row = line.first; row < line.first + line.count; row++) {
      const { spans, threads } = store.data.ranks[row];
      for (const strip of columns) {
        for (const [begin, end] of spans) strip.add(strip.there, 1, 0, place(begin), place(end), Math.max(1, threads) / strips);
      }
      for (const [number, chunk] of chunks.entries()) {
        const calls = chunk.rows[row];
        // What a chunk before has is not added twice.
        for (let call = Math.max(firstIn(calls, from), number > 0 ? calls.carried : 0); call < calls.start.length && calls.start[call] < to; call++) {
          const extra = calls.extra[call];
          const strip = columns[Math.min(extra?.thread ?? 0, strips - 1)];
          const color = isDim(chunk, row, call) ? dim : extra?.open ? store.openClass : store.classOf[chunk.kinds[calls.kind[call]].fn];
          const [start, end] = [calls.start[call], calls.end[call]];
          strip.add(strip.times, strip.colors, color, place(start), place(end), extra?.ns === undefined ? 1 : extra.ns / Math.max(1, end - start));
          for (const wait of extra?.waits ?? []) strip.add(strip.waits, 1, 0, place(wait.from), place(wait.until), 1);
        }
      }
    }
    columns.forEach((strip, at) => {
      const [y, end] = [at, at + 1].map((edge) => Math.round(room * edge / strips));
      const isLast = at === strips - 1;
      // The lane is all threads' one.
      if (isLast) for (const other of columns.slice(0, -1)) other.waits.forEach((time, x) => (strip.waits[x] += time));
      const where = { y: line.y + y, room: Math.max(1, end - y - (isLast || end - y < 4 ? 0 : 1)), lane: isLast ? lane : 0, laneY: line.y + room };
      strip.paint(new LinePainter(image, where, colors.packed, colors.packedInk));
    });
  }
}

/** Names on calls that are wide enough, and ticks of entries where they can be told apart.
 * @param {CanvasRenderingContext2D} context @param {import("#timeline-store").Store} store @param {Chunk[]} chunks @param {Line[]} lines
 * @param {(time: number) => number} place @param {number} from @param {number} to @param {Colors} colors
 * @param {(chunk: Chunk, row: number, call: number) => boolean} isDim */
export function writeCalls(context, store, chunks, lines, place, from, to, colors, isDim) {
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const line of lines.filter(({ count }) => count === 1)) {
    const height = parts(line.height).room / Math.max(1, store.data.ranks[line.first].threads);
    for (const chunk of chunks) {
      const calls = chunk.rows[line.first];
      for (let call = firstIn(calls, from); height >= 12 && call < calls.start.length && calls.start[call] < to; call++) {
        const [left, right] = [place(Math.max(calls.start[call], from)), place(Math.min(calls.end[call], to))];
        if (right - left <= 46 || isDim(chunk, line.first, call)) continue;
        const extra = calls.extra[call];
        const fn = store.data.functions[chunk.kinds[calls.kind[call]].fn];
        context.fillStyle = colors.written[extra?.open ? store.openClass : fn.class];
        const name = fn.name.replace("MPI_", "");
        const fits = Math.floor((right - left - 8) / 6);
        context.fillText(name.length > fits ? `${name.slice(0, fits - 1)}…` : name, left + 4, line.y + ((extra?.thread ?? 0) + 0.5) * height + 1);
      }
      const shown = [];
      for (let mark = 0; line.height >= 8 && mark < calls.marks.length; mark += 3) {
        if (calls.marks[mark + 1] >= from && calls.marks[mark] <= to) shown.push(place(calls.marks[mark]));
      }
      context.fillStyle = colors.ink;
      if (shown.length * TICKS < place(to) - place(from)) for (const x of shown) context.fillRect(x, line.y, 1, 3);
    }
  }
}
