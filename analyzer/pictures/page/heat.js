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

const LEAST_LEFT = 56;
const TOP = 40;
/** The most pixels of the square, and of one place. */
const SQUARE = 520;
const PLACE = 40;
/** Places on a side, at most. */
const PLACES = 128;
/** The title's and the scale's width, and the letters of a rank's name that fit beside the square. */
const WIDE = 440;
const LETTER = 7.5;
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
  const longest = names.reduce((most, name) => Math.max(most, name.length), 0) * LETTER;
  const LEFT = Math.max(LEAST_LEFT, longest + 14);
  // Half of the last name stands beside the square.
  const size = Math.max(2, Math.min(PLACE, (Math.min(SQUARE, width - LEFT - longest / 2) - 2) / names.length));
  const side = size * names.length;
  const squares = cells.map(({ from, to, bytes: sent }) => {
    const what = svg("title", {}, `${names[from]} to ${names[to]}: ${bytes(sent)}`);
    const where = { x: LEFT + to * size, y: TOP + from * size, width: size, height: size };
    return svg("rect", { ...where, class: "heat", "fill-opacity": shade(sent) }, what);
  });
  const every = Math.ceil(Math.max(28, longest + 8) / size);
  const labels = names.map((_, at) => at).filter((at) => at % every === 0).flatMap((at) => [
    svg("text", { x: LEFT + (at + 0.5) * size, y: TOP - 6, "text-anchor": "middle" }, names[at]),
    svg("text", { x: LEFT - 8, y: TOP + (at + 0.5) * size + 4, "text-anchor": "end" }, names[at]),
  ]);
  const busiest = cells.reduce((best, cell) => (cell.bytes > best.bytes ? cell : best));
  const label = `Bytes from rank to rank; the most, ${bytes(most)}, from ${names[busiest.from]} to ${names[busiest.to]}`;
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
