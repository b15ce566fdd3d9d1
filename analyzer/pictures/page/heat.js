// @ts-check
/**
 * Who sends how much to whom, as a square of shades. Bytes far apart are shaded by their logarithm. Of many ranks neighbors share a place;
 * a click on a place shows those around it apart.
 *
 * In: an element, and the table `heat`: from rank, to rank, bytes.
 *
 * @import { Cell, Table } from "#units"
 */
import { draw, svg } from "#svg";
import { bytes, scaleOf } from "#timeline-format";
import { words } from "#units";

const LEAST_LEFT = 56;
const TOP = 40;
/** The most pixels of the square, and of one place. */
const SQUARE = 520;
const PLACE = 40;
/** Places on a side, at most. */
const PLACES = 128;
/** By how much a click zooms, and the fewest ranks on a side that it leads to. */
const ZOOM = 4;
const FEWEST = 8;
/** The title's and the scale's width, and the letters of a rank's name that fit beside the square. */
const WIDE = 440;
const LETTER = 7.5;
/** Bytes further apart than this are shaded by their logarithm. */
const FAR = 1000;

/** What is in view: the first sender and the first receiver among all ranks, and how many of each. @typedef {{ from: number, to: number, count: number }} Part */

/** Draws the square. Returns what draws it of other rows, or with null again of the table's. */
export function heat(/** @type {HTMLElement} */ element, /** @type {Table} */ table) {
  if (table.rows.length === 0) return null;
  let [rows, title] = [table.rows, table.title];
  let ranks = ranksOf(rows);
  /** @type {Part} */
  let part = { from: 0, to: 0, count: ranks.length };
  const [bar, place] = [document.createElement("p"), document.createElement("div")];
  bar.className = "zoom";
  const again = draw(place, (width) => {
    const shown = places(table, rows, ranks, part);
    nearer.disabled = part.count <= FEWEST || shown.cells.length === 0;
    farther.disabled = part.count >= ranks.length;
    const shared = shown.each > 1 ? `${title}, ${shown.each} of them to a place` : title;
    return shown.cells.length === 0 ? [] : [square(shown, shared, width)];
  });
  /** Shows as many ranks around a sender and a receiver. */
  const show = (/** @type {number} */ count, /** @type {number} */ from, /** @type {number} */ to) => {
    count = Math.min(Math.max(Math.ceil(count), FEWEST), ranks.length);
    const [first, second] = [from, to].map((at) => Math.min(Math.max(Math.floor(at - count / 2), 0), ranks.length - count));
    part = { from: first, to: second, count };
    again();
  };
  const button = (/** @type {string} */ text, /** @type {() => void} */ press) => {
    const made = document.createElement("button");
    [made.type, made.textContent] = ["button", text];
    made.addEventListener("click", press);
    bar.append(made);
    return made;
  };
  const nearer = button("Zoom to the most bytes", () => {
    const { cells, each } = places(table, rows, ranks, part);
    const most = cells.reduce((best, cell) => (cell.bytes > best.bytes ? cell : best));
    show(part.count / ZOOM, part.from + (most.from + 0.5) * each, part.to + (most.to + 0.5) * each);
  });
  const farther = button("Zoom out", () => show(part.count * ZOOM, part.from + part.count / 2, part.to + part.count / 2));
  place.addEventListener("click", (event) => {
    const { from, to } = /** @type {SVGElement} */ (event.target).dataset;
    const each = Math.ceil(part.count / PLACES);
    if (from !== undefined && part.count > FEWEST) show(part.count / ZOOM, part.from + (Number(from) + 0.5) * each, part.to + (Number(to) + 0.5) * each);
  });
  bar.hidden = ranks.length <= 2 * FEWEST;
  element.append(bar, place);
  again();
  return (/** @type {Cell[][] | null} */ others) => {
    rows = others ?? table.rows;
    title = others === null ? table.title : "bytes of messages in this part";
    ranks = ranksOf(rows);
    show(part.count >= ranks.length ? Infinity : part.count, part.from + part.count / 2, part.to + part.count / 2);
  };
}

/** A rank's number, those of other worlds behind the first's. */
function order(/** @type {Cell} */ rank) {
  return Array.isArray(rank) ? rank[1] * 2 ** 32 + rank[0] : Number(rank);
}

/** All ranks that send or get something, in order. */
function ranksOf(/** @type {Cell[][]} */ rows) {
  const known = new Map(rows.flatMap((row) => [row[0], row[1]]).map((rank) => [order(rank), rank]));
  return [...known].sort(([a], [b]) => a - b).map(([, rank]) => rank);
}

/** The places of what is in view by their first ranks' names, and the bytes from one to another. */
function places(/** @type {Table} */ table, /** @type {Cell[][]} */ rows, /** @type {Cell[]} */ ranks, /** @type {Part} */ part) {
  const none = { all: scaleOf(0), each: scaleOf(0) };
  const each = Math.max(1, Math.ceil(part.count / PLACES));
  const count = Math.ceil(part.count / each);
  const at = new Map(ranks.map((rank, at) => [order(rank), at]));
  const names = [part.from, part.to].map((first) => {
    return Array.from({ length: count }, (_, place) => words(table.columns[0], ranks[first + place * each] ?? null, none));
  });
  /** @type {Map<number, { from: number, to: number, bytes: number }>} */
  const cells = new Map();
  for (const row of rows) {
    const [from, to] = [(at.get(order(row[0])) ?? 0) - part.from, (at.get(order(row[1])) ?? 0) - part.to].map((at) => Math.floor(at / each));
    if (from < 0 || to < 0 || from >= count || to >= count) continue;
    const cell = cells.get(from * PLACES + to) ?? { from, to, bytes: 0 };
    cells.set(from * PLACES + to, { ...cell, bytes: cell.bytes + Number(row[2]) });
  }
  return { names, each, cells: [...cells.values()] };
}

function square(/** @type {ReturnType<typeof places>} */ { names: [senders, receivers], cells }, /** @type {string} */ title, /** @type {number} */ width) {
  const least = cells.reduce((least, { bytes }) => Math.min(least, bytes), Infinity);
  const most = cells.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  const far = most / least > FAR;
  const shade = (/** @type {number} */ bytes) => {
    const share = far ? Math.log(bytes / least) / Math.log(most / least) : bytes / most;
    // A little is still to be told from nothing.
    return (0.12 + 0.88 * share).toFixed(3);
  };
  const longest = [...senders, ...receivers].reduce((most, name) => Math.max(most, name.length), 0) * LETTER;
  const LEFT = Math.max(LEAST_LEFT, longest + 14);
  // Half of the last name stands beside the square.
  const size = Math.max(2, Math.min(PLACE, (Math.min(SQUARE, width - LEFT - longest / 2) - 2) / senders.length));
  const side = size * senders.length;
  const squares = cells.map(({ from, to, bytes: sent }) => {
    const what = svg("title", {}, `${senders[from]} to ${receivers[to]}: ${bytes(sent)}`);
    const where = { x: LEFT + to * size, y: TOP + from * size, width: size, height: size };
    return svg("rect", { ...where, class: "heat", "data-from": from, "data-to": to, "fill-opacity": shade(sent) }, what);
  });
  const every = Math.ceil(Math.max(28, longest + 8) / size);
  const labels = senders.map((_, at) => at).filter((at) => at % every === 0).flatMap((at) => [
    svg("text", { x: LEFT + (at + 0.5) * size, y: TOP - 6, "text-anchor": "middle" }, receivers[at]),
    svg("text", { x: LEFT - 8, y: TOP + (at + 0.5) * size + 4, "text-anchor": "end" }, senders[at]),
  ]);
  const busiest = cells.reduce((best, cell) => (cell.bytes > best.bytes ? cell : best));
  const label = `Bytes from rank to rank; the most, ${bytes(most)}, from ${senders[busiest.from]} to ${receivers[busiest.to]}`;
  // The scale: as many bytes as a shade stands for.
  const shades = Array.from({ length: 6 }, (_, at) => {
    const [share, x] = [at / 5, LEFT + at * 72];
    const value = Math.round(far ? least * (most / least) ** share : most * Math.max(share, 0));
    const box = { x, y: TOP + side + 12, width: 72, height: 10, class: "shade", "fill-opacity": 0.12 + 0.88 * share };
    return [svg("rect", box), svg("text", { x: x + 36, y: TOP + side + 36, "text-anchor": "middle" }, at === 0 && !far ? "> 0" : bytes(value))];
  });
  return svg(
    "svg",
    { width: Math.max(LEFT + side + longest / 2 + 2, LEFT + WIDE), height: TOP + side + 42, role: "img", "aria-label": label },
    svg("text", { x: LEFT, y: 14, class: "title" }, `${title}, from row to column`),
    svg("rect", { x: LEFT, y: TOP, width: side, height: side, class: "frame" }),
    ...squares,
    ...labels,
    ...shades.flat(),
  );
}
