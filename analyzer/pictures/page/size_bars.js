// @ts-check
/**
 * Calls and their time over the bytes of a call, from a power of two to the next.
 *
 * In: an element, and the table `sizes`.
 *
 * @import { Cell, Table } from "#units"
 */
import { draw, grid, marks, svg } from "#svg";
import { bytes, count, mark, scaleOf, timeAlone } from "#timeline-format";

const HEIGHT = 190;
const MARGIN = { top: 24, right: 8, bottom: 26, left: 64 };
/** Below this width the two pictures stand one below the other. */
const NARROW = 640;

/** Draws both. Returns what draws them of other rows, or with null again of the table's. */
export function sizeBars(/** @type {HTMLElement} */ element, /** @type {Table} */ table) {
  const at = (/** @type {string} */ key) => table.columns.findIndex((column) => column.key === key);
  const [size, calls, time] = ["size_at_least_bytes", "calls", "time_total_s"].map(at);
  let { rows } = table;
  if (rows.length === 0 || size < 0) return null;
  const again = draw(element, (width) => {
    if (rows.length === 0) return [];
    const powers = rows.map((row) => Math.log2(Number(row[size])));
    const [least, most] = [Math.min(...powers), Math.max(...powers)];
    const sums = (/** @type {number} */ column) => {
      const sums = Array(most - least + 1).fill(0);
      rows.forEach((row, place) => (sums[powers[place] - least] += Number(row[column])));
      return sums;
    };
    const [ofCalls, ofTime] = [sums(calls), sums(time)];
    const each = width < NARROW ? width : Math.floor(width / 2) - 8;
    const longest = Math.max(...ofTime);
    const scale = scaleOf(marks(longest).slice(-1)[0]);
    return [
      bars("calls", ofCalls, least, each, count, (value) => `${count(value)} calls`),
      bars("time of all ranks", ofTime, least, each, (value) => mark(value, scale), timeAlone),
    ];
  });
  return (/** @type {Cell[][] | null} */ others) => {
    rows = others ?? table.rows;
    again();
  };
}

function bars(
  /** @type {string} */ title,
  /** @type {number[]} */ sums,
  /** @type {number} */ least,
  /** @type {number} */ width,
  /** @type {(value: number) => string} */ mark,
  /** @type {(value: number) => string} */ text,
) {
  const values = marks(Math.max(...sums), 4);
  const [left, right, bottom] = [MARGIN.left, width - MARGIN.right, HEIGHT - MARGIN.bottom];
  const y = (/** @type {number} */ value) => bottom - (value / values[values.length - 1]) * (bottom - MARGIN.top);
  const step = Math.min(60, (right - left) / sums.length);
  const from = (/** @type {number} */ place) => bytes(2 ** (least + place)).replace(".0 ", " ");
  const drawn = sums.map((sum, place) => {
    const [x, height] = [left + place * step + step * 0.1, Math.max(sum > 0 ? 1 : 0, bottom - y(sum))];
    const name = svg("title", {}, `${from(place)} to ${from(place + 1)}: ${text(sum)}`);
    return svg("rect", { x, y: bottom - height, width: step * 0.8, height, class: "bar" }, name);
  });
  const every = Math.ceil(58 / step);
  const labels = sums.map((_, place) => place).filter((place) => place % every === 0).map((place) => {
    return svg("text", { x: left + (place + 0.5) * step, y: bottom + 16, "text-anchor": "middle" }, from(place));
  });
  const most = sums.indexOf(Math.max(...sums));
  const label = `${title} by bytes of a call; the most, ${text(sums[most])}, from ${from(most)} on`;
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": label },
    svg("text", { x: left, y: 12, class: "title" }, `${title}, by bytes of a call`),
    ...grid(values, y, mark, { left, right }),
    ...drawn,
    ...labels,
  );
}
