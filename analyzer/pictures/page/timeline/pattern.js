// @ts-check
// Who sends to whom in view, as a square of shades: where rows or messages are too many to be drawn as lines. In: messages and bytes by
// pairs of rows. Out: pixels, and a caption.

import { bytes, count } from "#timeline-format";

const SIDE = 200; // Pixels, at most.
const [LEFT, TOP] = [44, 16]; // For the names of the first and last row.
const PLACE = 28; // Of one row, at most.

export class Pattern {
  /** @param {import("#timeline-store").Store} store @param {HTMLCanvasElement} canvas @param {HTMLElement} caption */
  constructor(store, canvas, caption) {
    this.store = store;
    this.canvas = canvas;
    this.caption = caption;
    /** What is shown: rows, and what goes from the place of one to that of another. */
    this.shown = { rows: /** @type {number[]} */ ([]), each: 1, size: 1, cells: new Map() };
    /** What that was drawn of, and on. @type {import("#timeline-decode").PairSum[] | null} */
    this.pairs = null;
    this.ground = "";
    canvas.addEventListener("pointermove", (event) => (canvas.title = this.at(event.offsetX, event.offsetY)));
  }

  /** Shows nothing. */
  hide() {
    this.canvas.hidden = this.caption.hidden = true;
  }

  /** Shows the messages between rows. @param {number[]} rows @param {import("#timeline-decode").PairSum[]} pairs @param {any} colors */
  draw(rows, pairs, colors) {
    if (pairs === this.pairs && colors.ground === this.ground) {
      this.canvas.hidden = this.caption.hidden = this.shown.cells.size === 0;
      return undefined;
    }
    this.pairs = pairs;
    this.ground = colors.ground;
    this.shown.cells = new Map();
    const there = new Set(rows);
    const within = pairs.filter(({ from, to }) => there.has(from) && there.has(to));
    if (within.length === 0) return this.hide();
    this.canvas.hidden = this.caption.hidden = false;
    const each = Math.ceil(rows.length / SIDE);
    const places = Math.ceil(rows.length / each);
    const size = Math.max(1, Math.min(PLACE, Math.floor(SIDE / places)));
    /** @type {Map<number, {messages: number, bytes: number}>} */
    const cells = new Map();
    const place = (/** @type {number} */ row) => Math.floor((row - rows[0]) / each);
    for (const { from, to, messages, bytes } of within) {
      const key = place(from) * places + place(to);
      const cell = cells.get(key) ?? { messages: 0, bytes: 0 };
      cells.set(key, { messages: cell.messages + messages, bytes: cell.bytes + bytes });
    }
    this.shown = { rows, each, size, cells };
    this.paint(places, colors);
    this.say(within, places);
    return undefined;
  }

  /** @param {number} places @param {any} colors */
  paint(places, colors) {
    const { rows, size, cells } = this.shown;
    const side = places * size;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [LEFT + side + 1, TOP + side + 1];
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    [this.canvas.style.width, this.canvas.style.height] = [`${width}px`, `${height}px`];
    const context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const most = Math.max(...[...cells.values()].map((cell) => cell.messages));
    context.fillStyle = colors.ink;
    for (const [key, { messages }] of cells) {
      // Few are still to be told from none.
      context.globalAlpha = 0.25 + 0.75 * Math.log1p(messages) / Math.log1p(most);
      context.fillRect(LEFT + key % places * size, TOP + Math.floor(key / places) * size, size, size);
    }
    context.globalAlpha = 1;
    context.strokeStyle = context.fillStyle = colors.ink;
    context.strokeRect(LEFT - 0.5, TOP - 0.5, side + 1, side + 1);
    context.font = "11px system-ui, sans-serif";
    const [first, last] = [rows[0], rows[rows.length - 1]].map((row) => this.store.data.ranks[row].label);
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
    context.fillText(first, LEFT, TOP - 5);
    context.textAlign = "right";
    if (side > 60) context.fillText(last, LEFT + side, TOP - 5);
    context.textBaseline = "top";
    context.fillText(first, LEFT - 5, TOP, LEFT - 8);
    context.textBaseline = "bottom";
    if (side > 30) context.fillText(last, LEFT - 5, TOP + side, LEFT - 8);
  }

  /** @param {import("#timeline-decode").PairSum[]} pairs @param {number} places */
  say(pairs, places) {
    const { rows, each } = this.shown;
    const [messages, sent] = [pairs.reduce((sum, pair) => sum + pair.messages, 0), pairs.reduce((sum, pair) => sum + pair.bytes, 0)];
    const most = pairs.reduce((best, pair) => (pair.messages > best.messages ? pair : best));
    const [from, to] = [most.from, most.to].map((row) => this.store.data.ranks[row].label);
    const shared = each > 1 ? `, ${each} ranks to a place` : "";
    this.caption.textContent = `${count(messages)} messages, ${bytes(sent)}, from row to column${shared}`;
    const which = `of ${rows.length} ranks as a square of ${places} places`;
    this.canvas.setAttribute("aria-label", `Messages ${which}; the most, ${count(most.messages)}, from ${from} to ${to}`);
  }

  /** What lies at a point, in words. @param {number} x @param {number} y */
  at(x, y) {
    const { rows, each, size, cells } = this.shown;
    const places = Math.ceil(rows.length / each);
    const [to, from] = [x - LEFT, y - TOP].map((at) => Math.floor(at / size));
    const cell = cells.get(from * places + to);
    if (cell === undefined || to < 0 || to >= places) return "";
    const name = (/** @type {number} */ place) => {
      return this.store.rowNames(rows[place * each], Math.min(each, rows.length - place * each));
    };
    return `${name(from)} to ${name(to)}: ${count(cell.messages)} messages, ${bytes(cell.bytes)}`;
  }
}
