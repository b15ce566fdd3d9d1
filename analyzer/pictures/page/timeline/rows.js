// @ts-check
// Paints rows of bins: the classes' shares above each other. In: what the store has for a time, and colors. Below each row a lane
// shows how much of it waited.

import { LinePainter, parts } from "#timeline-shares";

/** @typedef {import("#timeline-shares").Line} Line @typedef {import("#timeline-shares").Colors} Colors */

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
  const { width } = image;
  const { classes } = store;
  const columns = places(levels, width, from, to);
  const times = new Float64Array(colors.packed.length);
  for (const line of lines) {
    const { lane, room } = parts(line.height);
    const painter = new LinePainter(image, { y: line.y, room, lane, laneY: line.y + room }, colors.packed, colors.packedInk);
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
      const waited = waits[j] + q * (waits[j + 1] - waits[j]) - waits[i] - p * (waits[i + 1] - waits[i]);
      painter.column(x, times, all, waited / all);
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
