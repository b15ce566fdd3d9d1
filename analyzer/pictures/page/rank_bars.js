// @ts-check
/**
 * Each rank's time as a bar of its parts, the first of which is compared: its mean is a dashed line. Where there are more ranks than
 * room, neighbors share a bar: their mean, and a line from the least to the most of that part among them. The legend leaves parts out.
 *
 * In: an element, and the table `rank_time`.
 *
 * @import { Cell, Table } from "#units"
 */
import { draw, grid, legend, marks, svg } from "#svg";
import { mark, scaleOf, timeAlone } from "#timeline-format";
import { words } from "#units";

const HEIGHT = 260;
const MARGIN = { top: 14, right: 8, bottom: 34, left: 64 };
/** The least room for a bar, and the most it takes. */
const LEAST = 5;
const MOST = 64;

/** Draws the bars. Returns what draws them of other rows, or with null again of the table's. */
export function rankBars(/** @type {HTMLElement} */ element, /** @type {Table} */ table) {
  let { rows } = table;
  if (rows.length === 0) return null;
  const parts = table.columns.map((column, at) => ({ name: column.heading, key: column.key, at }))
    .filter(({ at }) => table.columns[at].unit === "seconds")
    .filter(({ at }) => table.rows.some((row) => Number(row[at]) > 0))
    .map((part) => ({ ...part, color: `part-${part.key}` }));
  const left = new Set(parts);
  const place = document.createElement("div");
  const names = legend(parts, (at, isShown) => {
    if (isShown) left.add(parts[at]);
    else left.delete(parts[at]);
    again();
  });
  element.append(names, place);
  const again = draw(place, (width) => {
    const shown = parts.filter((part) => left.has(part));
    if (shown.length === 0 || rows.length === 0) return [];
    const room = width - MARGIN.left - MARGIN.right;
    const bars = shared(rows, shown, Math.max(1, Math.floor(room / LEAST)));
    return [picture(bars, shown, table, width)];
  });
  return (/** @type {Cell[][] | null} */ others) => {
    rows = others ?? table.rows;
    again();
  };
}

/**
 * Ranks that share a bar: the first row of each, the means of the parts, and the range of the first.
 * @typedef {{ first: Cell[], count: number, times: number[], least: number, most: number }} Bar
 * @returns {Bar[]}
 */
function shared(/** @type {Cell[][]} */ rows, /** @type {{ at: number }[]} */ parts, /** @type {number} */ most) {
  const each = Math.ceil(rows.length / most);
  const groups = Array.from({ length: Math.ceil(rows.length / each) }, (_, at) => rows.slice(at * each, (at + 1) * each));
  return groups.map((group) => {
    const time = (/** @type {Cell[]} */ row, /** @type {number} */ at) => Number(row[at] ?? 0);
    const first = group.map((row) => time(row, parts[0].at));
    const times = parts.map(({ at }) => group.reduce((sum, row) => sum + time(row, at), 0) / group.length);
    return { first: group[0], count: group.length, times, least: Math.min(...first), most: Math.max(...first) };
  });
}

function picture(
  /** @type {Bar[]} */ bars,
  /** @type {{ name: string, key: string, at: number, color: string }[]} */ parts,
  /** @type {Table} */ table,
  /** @type {number} */ width,
) {
  const sum = (/** @type {Bar} */ bar) => bar.times.reduce((sum, time) => sum + time, 0);
  const values = marks(Math.max(...bars.map(sum)));
  const top = values[values.length - 1];
  const scale = scaleOf(top);
  const [left, right, bottom] = [MARGIN.left, width - MARGIN.right, HEIGHT - MARGIN.bottom];
  const y = (/** @type {number} */ time) => bottom - (time / top) * (bottom - MARGIN.top);
  const step = Math.min(MOST * 1.25, (right - left) / bars.length);
  const thick = step > 8 ? step * 0.8 : step;
  const name = (/** @type {Bar} */ bar) => words(table.columns[0], bar.first[0], { all: scale, each: scale });
  const drawn = bars.flatMap((bar, place) => {
    const x = left + place * step + (step - thick) / 2;
    let from = 0;
    const pieces = parts.map((part, at) => {
      const [begin, end] = [from, (from += bar.times[at])];
      const who = bar.count > 1 ? `${bar.count} ranks from ${name(bar)}, mean` : `rank ${name(bar)}`;
      const title = svg("title", {}, `${who}: ${part.name} ${timeAlone(bar.times[at])}`);
      return svg("rect", { x, y: y(end), width: thick, height: Math.max(0, y(begin) - y(end)), class: part.color }, title);
    });
    const middle = x + thick / 2;
    const range = { x1: middle, x2: middle, y1: y(bar.least), y2: y(bar.most), class: "range" };
    return bar.count > 1 ? [...pieces, svg("line", range)] : pieces;
  });
  const every = Math.ceil(48 / step);
  const labels = bars.filter((_, place) => place % every === 0).map((bar, at) => {
    const x = left + at * every * step + step / 2;
    return svg("text", { x, y: bottom + 16, "text-anchor": "middle" }, name(bar));
  });
  const mean = bars.reduce((sum, bar) => sum + bar.times[0] * bar.count, 0) / bars.reduce((sum, bar) => sum + bar.count, 0);
  const most = bars.reduce((best, bar) => (bar.most > best.most ? bar : best));
  const end = Math.min(right, left + bars.length * step);
  const line = svg("line", { x1: left, x2: end, y1: y(mean), y2: y(mean), class: "mean" });
  line.append(svg("title", {}, `mean ${parts[0].name}: ${timeAlone(mean)}`));
  const label = `Time by rank. Mean ${parts[0].name} ${timeAlone(mean)}; the most, ${timeAlone(most.most)}, at rank ${name(most)}.`;
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": label },
    ...grid(values, y, (value) => mark(value, scale), { left, right: end }),
    ...drawn,
    line,
    ...labels,
    svg("text", { x: left, y: HEIGHT - 2 }, `rank; dashed: mean ${parts[0].name}`),
  );
}
