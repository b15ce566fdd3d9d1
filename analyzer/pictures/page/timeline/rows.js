// @ts-check
// Paints rows: bins as the classes' shares above each other, or single calls. In: what the store has for a time, and colors. Below
// each row a lane shows how much of it waited; ticks at its top are entries into the progress engine.

/** @typedef {{y: number, height: number, first: number, count: number}} Line rows drawn as one, and where */
/** @typedef {{classes: string[], written: string[], packed: Uint32Array, ink: string, packedInk: number, ground: string, dim: string}} Colors */

/** Of a row's height: what is for its time, and for its waits. @param {number} height */
function parts(height) {
  const lane = height >= 5 ? Math.max(1, Math.round(height * 0.2)) : 0;
  return { lane, room: Math.max(1, height - lane - (height >= 6 ? 1 : 0)) };
}

/** A level's time of rows drawn as one: by class, waits, and that they ran, each added up from the first bin on.
 * @param {import("#timeline-store").Store} store @param {import("#timeline-store").Level & {lines?: Map<string, any>}} level
 * @param {number} first @param {number} count */
function added(store, level, first, count) {
  level.lines ??= new Map();
  const key = `${first}+${count}`;
  const known = level.lines.get(key);
  if (known !== undefined) return known;
  if (level.lines.size > 4096) level.lines.clear();
  const sums = count === 1 ? level.sums[first] : new Float64Array(level.sums[0].length);
  const waits = count === 1 ? level.waits[first] : new Float64Array(level.count + 1);
  const ran = new Float64Array(level.count + 1);
  for (let row = first; row < first + count; row++) {
    if (count > 1) {
      const [sum, waited] = [level.sums[row], level.waits[row]];
      for (let i = 0; i < sums.length; i++) sums[i] += sum[i];
      for (let i = 0; i < waits.length; i++) waits[i] += waited[i];
    }
    const threads = Math.max(1, store.data.ranks[row].threads);
    for (const [begin, end] of store.data.ranks[row].spans) {
      const bin = (/** @type {number} */ at) => Math.floor((at - level.from) / level.width);
      for (let at = Math.max(0, bin(begin)); at <= Math.min(level.count - 1, bin(end)); at++) {
        const from = level.from + at * level.width;
        ran[at + 1] += threads * Math.max(0, Math.min(end, from + level.width) - Math.max(begin, from));
      }
    }
  }
  for (let i = 1; i < ran.length; i++) ran[i] += ran[i - 1];
  const line = { sums, waits, ran };
  level.lines.set(key, line);
  return line;
}

/** @param {ImageData} image @param {import("#timeline-store").Store} store @param {import("#timeline-store").Level[]} levels
 * @param {Line[]} lines @param {number} from @param {number} to @param {Colors} colors */
export function paintBins(image, store, levels, lines, from, to, colors) {
  const pixels = new Uint32Array(image.data.buffer);
  const { width } = image;
  const { classes } = store;
  const columns = places(levels, width, from, to);
  const times = new Float64Array(classes);
  for (const line of lines) {
    const { lane, room } = parts(line.height);
    const of = levels.map((level) => added(store, level, line.first, line.count));
    for (let x = 0; x < width; x++) {
      const { sums, waits, ran } = of[columns.level[x]];
      const i = columns.i[x];
      const j = columns.j[x];
      const p = columns.p[x];
      const q = columns.q[x];
      let inMpi = 0;
      for (let one = 1; one < classes; one++) {
        const a = i * classes + one;
        const b = j * classes + one;
        const low = sums[a] + p * (sums[a + classes] - sums[a]);
        inMpi += times[one] = sums[b] + q * (sums[b + classes] - sums[b]) - low;
      }
      const there = ran[j] + q * (ran[j + 1] - ran[j]) - ran[i] - p * (ran[i + 1] - ran[i]);
      const all = Math.max(there, inMpi);
      if (!(all > 0)) continue;
      times[0] = all - inMpi;
      let below = 0;
      let y = 0;
      for (let one = 0; one < classes; one++) {
        if (times[one] <= 0) continue;
        below += times[one];
        const end = Math.round(room * below / all);
        for (; y < end; y++) pixels[(line.y + y) * width + x] = colors.packed[one];
      }
      if (lane === 0) continue;
      const waited = (waits[j] + q * (waits[j + 1] - waits[j]) - waits[i] - p * (waits[i + 1] - waits[i])) / all;
      const dark = waited > 0.001 ? Math.max(1, Math.round(lane * Math.min(waited, 1))) : 0;
      for (let y = room; y < room + dark; y++) pixels[(line.y + y) * width + x] = colors.packedInk;
    }
  }
}

/** For each column of pixels its level, and the bins that it begins and ends in, with how far into them: time is spread evenly over
 * a bin. The same for all lines. @param {import("#timeline-store").Level[]} levels @param {number} width @param {number} from
 * @param {number} to */
function places(levels, width, from, to) {
  const step = (to - from) / width;
  const [level, i, j] = [new Uint8Array(width), new Uint32Array(width), new Uint32Array(width)];
  const [p, q] = [new Float64Array(width), new Float64Array(width)];
  let at = 0;
  for (let x = 0; x < width; x++) {
    const begin = from + x * step;
    while (at + 1 < levels.length && begin >= levels[at + 1].from) at += 1;
    const of = levels[at];
    const place = (/** @type {number} */ time) => Math.min(Math.max((time - of.from) / of.width, 0), of.count);
    const [first, last] = [place(begin), place(begin + step)];
    level[x] = at;
    i[x] = Math.min(Math.floor(first), of.count - 1);
    j[x] = Math.min(Math.floor(last), of.count - 1);
    p[x] = first - i[x];
    q[x] = last - j[x];
  }
  return { level, i, j, p, q };
}

/** The first of a row's calls that reaches into a time. @param {import("#timeline-decode").RowCalls} calls @param {number} from */
export function firstIn(calls, from) {
  let [low, high] = [0, calls.start.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (calls.reach[middle] >= from) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** @param {CanvasRenderingContext2D} context @param {import("#timeline-store").Store} store
 * @param {import("#timeline-decode").Chunk[]} chunks @param {Line[]} lines @param {(time: number) => number} place
 * @param {number} from @param {number} to @param {Colors} colors
 * @param {(chunk: import("#timeline-decode").Chunk, row: number, call: number) => boolean} isDim */
export function paintCalls(context, store, chunks, lines, place, from, to, colors, isDim) {
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const line of lines) {
    const rank = store.data.ranks[line.first];
    const { lane, room } = parts(line.height);
    const threads = Math.max(1, rank.threads);
    const height = room / threads;
    context.fillStyle = colors.ground;
    context.fillRect(place(from), line.y, place(to) - place(from), line.height);
    context.fillStyle = colors.classes[0];
    for (const [begin, end] of rank.spans) {
      const [left, right] = [place(Math.max(begin, from)), place(Math.min(end, to))];
      if (right > left) context.fillRect(left, line.y, right - left, room);
    }
    for (const chunk of chunks) {
      const calls = chunk.rows[line.first];
      let drawn = -1;
      let style = "";
      for (let call = firstIn(calls, from); call < calls.start.length && calls.start[call] < to; call++) {
        const [left, right] = [place(Math.max(calls.start[call], from)), place(Math.min(calls.end[call], to))];
        const extra = calls.extra[call];
        const fn = store.data.functions[chunk.kinds[calls.kind[call]].fn];
        const kind = extra?.open ? store.openClass : fn.class;
        const own = isDim(chunk, line.first, call) ? colors.dim : colors.classes[kind];
        // What shares a pixel with the last one and looks like it is not drawn again.
        if (right <= drawn && own === style && extra?.waits === undefined) continue;
        const y = line.y + (extra?.thread ?? 0) * height;
        context.fillStyle = style = own;
        context.fillRect(left, y, Math.max(right - left, 0.75), Math.max(height - (threads > 1 ? 0.5 : 0), 1));
        drawn = Math.max(right, left + 0.75);
        if (right - left > 46 && height >= 12 && own !== colors.dim) {
          context.fillStyle = colors.written[kind];
          const name = fn.name.replace("MPI_", "");
          const fits = Math.floor((right - left - 8) / 6);
          context.fillText(name.length > fits ? `${name.slice(0, fits - 1)}…` : name, left + 4, y + height / 2 + 1);
        }
        context.fillStyle = style = colors.ink;
        for (const wait of extra?.waits ?? []) {
          const [begin, end] = [place(Math.max(wait.from, from)), place(Math.min(wait.until, to))];
          if (lane > 0 && end >= begin) context.fillRect(begin, line.y + room, Math.max(end - begin, 0.75), lane);
        }
        style = "";
      }
      context.fillStyle = colors.ink;
      for (let mark = 0; line.height >= 8 && mark < calls.marks.length; mark += 3) {
        if (calls.marks[mark + 1] < from || calls.marks[mark] > to) continue;
        context.fillRect(place(calls.marks[mark]), line.y, 1, 3);
      }
    }
  }
}
