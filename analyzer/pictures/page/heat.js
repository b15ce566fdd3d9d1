// @ts-check
/**
 * Who sends how much to whom, as a square of shades. Bytes far apart are shaded by their logarithm.
 *
 * In: an element, and the table `heat`: from rank, to rank, bytes.
 *
 * @import { Cell, Table } from "#units"
 */
import { draw, svg } from "#svg";
import { bytes, scaleOf, words } from "#units";

const LEFT = 56;
const TOP = 40;
/** The most pixels of the square, and of one place. */
const SQUARE = 520;
const PLACE = 40;
/** Places on a side, at most. */
const PLACES = 128;
/** What its words take. */
const WIDE = 440;
/** Bytes further apart than this are shaded by their logarithm. */
const FAR = 1000;

/** Draws the square. Returns what draws it of other rows, or with null again of the table's. */
export function heat(/** @type {HTMLElement} */ element, /** @type {Table} */ table) {
  if (table.rows.length === 0) return null;
  let shown = places(table, table.rows);
  let { title } = table;
  const again = draw(element, (width) => (shown.cells.length === 0 ? [] : [square(shown, title, width)]));
  return (/** @type {Cell[][] | null} */ others) => {
    shown = places(table, others ?? table.rows);
    title = others === null ? table.title : "bytes of messages in this part";
    again();
  };
}

/** The ranks by their names, neighbors together where they are more than places, and the bytes from one place to another. */
function places(/** @type {Table} */ table, /** @type {Cell[][]} */ rows) {
  const none = { all: scaleOf(0), each: scaleOf(0) };
  const order = (/** @type {Cell} */ rank) => (Array.isArray(rank) ? rank[1] * 2 ** 32 + rank[0] : Number(rank));
  const known = new Map(rows.flatMap((row) => [row[0], row[1]]).map((rank) => [order(rank), rank]));
  const ranks = [...known.keys()].sort((a, b) => a - b);
  const each = Math.ceil(ranks.length / PLACES);
  const place = new Map(ranks.map((rank, at) => [rank, Math.floor(at / each)]));
  const firsts = ranks.filter((_, at) => at % each === 0);
  const names = firsts.map((rank) => words(table.columns[0], known.get(rank) ?? null, none));
  /** @type {Map<number, { from: number, to: number, bytes: number }>} */
  const cells = new Map();
  for (const row of rows) {
    const [from, to] = [place.get(order(row[0])) ?? 0, place.get(order(row[1])) ?? 0];
    const cell = cells.get(from * PLACES + to) ?? { from, to, bytes: 0 };
    cells.set(from * PLACES + to, { ...cell, bytes: cell.bytes + Number(row[2]) });
  }
  return { names, cells: [...cells.values()] };
}

function square(/** @type {ReturnType<typeof places>} */ { names, cells }, /** @type {string} */ title, /** @type {number} */ width) {
  const least = cells.reduce((least, { bytes }) => Math.min(least, bytes), Infinity);
  const most = cells.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  const far = most / least > FAR;
  const shade = (/** @type {number} */ bytes) => {
    const share = far ? Math.log(bytes / least) / Math.log(most / least) : bytes / most;
    // A little is still to be told from nothing.
    return (0.12 + 0.88 * share).toFixed(3);
  };
  const size = Math.max(2, Math.min(PLACE, (Math.min(SQUARE, width - LEFT) - 2) / names.length));
  const side = size * names.length;
  const squares = cells.map(({ from, to, bytes: sent }) => {
    const what = svg("title", {}, `${names[from]} to ${names[to]}: ${bytes(sent)}`);
    const where = { x: LEFT + to * size, y: TOP + from * size, width: size, height: size };
    return svg("rect", { ...where, class: "heat", "fill-opacity": shade(sent) }, what);
  });
  const every = Math.ceil(28 / size);
  const labels = names.map((_, at) => at).filter((at) => at % every === 0).flatMap((at) => [
    svg("text", { x: LEFT + (at + 0.5) * size, y: TOP - 6, "text-anchor": "middle" }, names[at]),
    svg("text", { x: LEFT - 8, y: TOP + (at + 0.5) * size + 4, "text-anchor": "end" }, names[at]),
  ]);
  const busiest = cells.reduce((best, cell) => (cell.bytes > best.bytes ? cell : best));
  const label = `Bytes from rank to rank; the most, ${bytes(most)}, from ${names[busiest.from]} to ${names[busiest.to]}`;
  const how = `darkest: ${bytes(most)}${far ? `, lightest: ${bytes(least)}, by the logarithm` : ""}`;
  return svg(
    "svg",
    { width: Math.max(LEFT + side + 2, Math.min(width, WIDE)), height: TOP + side + 22, role: "img", "aria-label": label },
    svg("text", { x: LEFT, y: 14, class: "title" }, `${title}, from row to column`),
    svg("rect", { x: LEFT, y: TOP, width: side, height: side, class: "frame" }),
    ...squares,
    ...labels,
    svg("text", { x: LEFT, y: TOP + side + 18 }, how),
  );
}
