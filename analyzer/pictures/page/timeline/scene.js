// @ts-check
// Draws what a view shows: minimap, regions, rows, messages, marks, axis. In: store and view. Out: pixels, and which row
// and time lie at a point.

import { marks } from "#timeline-axis";
import { moment } from "#timeline-format";
import { findCall } from "#timeline-find";
import { paintCalls, writeCalls } from "#timeline-call-shares";
import { paintBins } from "#timeline-rows";

const [AXIS, BAND, MAP, RIGHT] = [26, 15, 26, 10];
const ROW = 40; // The height that a row has at most while all are in view.
const LINES = 64; // Rows between which messages are drawn as lines.
const COVER = 0.08; // Of the rows, lines cover so much: of more messages, one of 2, 4, … is drawn,
const THINNEST = 64; // down to one of so many.

export class Scene {
  /** @param {HTMLCanvasElement} canvas @param {import("#timeline-store").Store} store @param {import("#timeline-view").View} view
   * @param {any[]} all data of all timelines that begin at the same place */
  constructor(canvas, store, view, all) {
    this.all = all;
    this.canvas = canvas;
    this.store = store;
    this.view = view;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    /** Which calls are shown weakly. @type {(chunk: any, row: number, call: number) => boolean} */
    this.isDim = () => false;
    /** Chunks whose calls are drawn. @type {import("#timeline-decode").Chunk[] | undefined} */
    this.chunks = undefined;
    /** Whether messages are drawn as lines, or may be, and of how many messages one is. */
    this.hasLines = false;
    this.thinned = 1;
    this.showsMessages = true;
    this.showsWaits = true;
    /** Classes that the legend takes the color from. @type {Set<number>} */
    this.weak = new Set();
    /** A time that is being chosen. @type {[number, number] | null} */
    this.chosen = null;
    const deepest = store.data.regions.reduce((/** @type {number} */ most, /** @type {any} */ region) => Math.max(most, region[2]), -1);
    this.depths = Math.min(deepest + 1, 3);
    canvas.style.setProperty("--timeline-height", `${MAP + 12 + this.depths * BAND + store.data.ranks.length * ROW + AXIS}px`);
  }

  /** Sizes in CSS pixels, and the lines that rows are drawn in. */
  layout() {
    const { view, store } = this;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.context.font = "12px system-ui, sans-serif";
    const widest = this.all.flatMap(({ ranks }) => [ranks[0], ranks.at(-1)]).map((rank) => this.context.measureText(rank.label).width);
    const rows = this.all.length === 1 ? view.rows : Math.max(...this.all.map(({ ranks }) => ranks.length));
    const left = Math.floor(Math.min(Math.max(...widest, 20) * (rows > 40 ? 2 : 1) + 18, width / 4));
    const top = MAP + 6 + this.depths * BAND + (this.depths > 0 ? 4 : 0);
    const room = Math.max(40, height - top - AXIS);
    // Rows of less than 4 pixels are drawn several as one.
    const each = 2 ** Math.max(0, Math.ceil(Math.log2(view.rows / Math.floor(room / 4))));
    const size = Math.min(room, ROW * view.all) / view.rows;
    const lines = [];
    const first = Math.floor(view.top / each) * each;
    for (let row = first; row < Math.min(view.top + view.rows, view.all); row += each) {
      const y = Math.round(top + (row - view.top) * size);
      const end = Math.round(top + (row + each - view.top) * size);
      // Rows that are partly in view are drawn as far as they are.
      lines.push({ y, height: Math.max(1, end - y), first: row, count: Math.min(each, view.all - row) });
    }
    const plot = { left, top, width: Math.max(20, Math.floor(width - left - RIGHT)), height: Math.floor(room) };
    return { width, height, plot, lines, each, size };
  }

  readColors() {
    // A property of our own is computed as it is written: what a color comes to in this scheme, an element says that has it.
    const probe = this.canvas.parentElement?.appendChild(document.createElement("i")) ?? this.canvas;
    const value = (/** @type {string} */ name) => {
      probe.style.color = `var(--${name})`;
      const parts = getComputedStyle(probe).color.match(/\d+/g)?.slice(0, 3) ?? ["128", "128", "128"];
      return `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`;
    };
    const packed = (/** @type {string} */ color) => {
      const [, r, g, b] = /^#(..)(..)(..)$/.exec(color) ?? ["", "80", "80", "80"];
      return (0xff000000 | parseInt(b + g + r, 16)) >>> 0;
    };
    const classes = this.store.data.classes.map((/** @type {string} */ _, /** @type {number} */ at) => value(this.weak.has(at) ? "weak" : `class-${at}`));
    const ink = value("ink");
    // What is written on a color: the one of two that stands out more from it.
    const light = (/** @type {string} */ color) => {
      const [r, g, b] = [1, 3, 5].map((at) => (parseInt(color.slice(at, at + 2), 16) / 255) ** 2.2);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18;
    };
    const written = classes.map((/** @type {string} */ color) => (light(color) ? "#000000" : "#ffffff"));
    this.colors = {
      classes, written, packed: Uint32Array.from([...classes, value("weak")], packed), ink, packedInk: packed(this.showsWaits ? ink : value("ground")), ground: value("ground"),
      gray: value("gray"), accent: value("accent"),
    };
    if (probe !== this.canvas) probe.remove();
    return this.colors;
  }

  draw() {
    const { context, view, store } = this;
    const colors = this.readColors();
    const ratio = window.devicePixelRatio || 1;
    const layout = this.layout();
    const { plot, lines } = layout;
    this.canvas.width = Math.round(layout.width * ratio);
    this.canvas.height = Math.round(layout.height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colors.ground;
    context.fillRect(0, 0, layout.width, layout.height);
    const place = (/** @type {number} */ time) => plot.left + (time - view.from) / (view.to - view.from) * plot.width;
    this.chunks = store.calls(view.from, view.to);
    this.drawRows(plot, lines, place, ratio);
    this.drawMap(layout);
    this.drawRegions(plot, place);
    this.drawMessages(layout, place);
    this.drawMarks(layout, place);
    this.drawLabels(layout);
    context.fillStyle = context.strokeStyle = colors.ink;
    context.textBaseline = "top";
    context.textAlign = "center";
    const bottom = plot.top + plot.height;
    context.fillRect(plot.left, bottom, plot.width, 1);
    for (const { at, label } of marks(view.from, view.to, plot.width)) {
      const half = context.measureText(label).width / 2;
      context.fillRect(place(at), bottom, 1, 5);
      context.fillText(label, Math.min(Math.max(place(at), half + 2), layout.width - half - 2), bottom + 9);
    }
    context.textAlign = "left";
    if (this.chosen === null) return;
    const [from, to] = this.chosen.map((time) => Math.min(Math.max(place(time), plot.left), plot.left + plot.width));
    context.globalAlpha = 0.25;
    context.fillStyle = colors.accent;
    context.fillRect(from, plot.top, to - from, plot.height + AXIS);
    context.globalAlpha = 1;
  }

  /** @param {{left: number, top: number, width: number, height: number}} plot @param {any[]} lines @param {(time: number) => number} place
   * @param {number} ratio */
  drawRows(plot, lines, place, ratio) {
    const { context, store, chunks } = this;
    const { from, to } = this.view;
    const colors = /** @type {any} */ (this.colors);
    const [width, height] = [plot.width, plot.height].map((length) => Math.max(1, Math.floor(length * ratio)));
    const image = new ImageData(width, height);
    const pixel = (/** @type {number} */ y) => Math.round((y - plot.top) * ratio);
    const moved = lines.map((line) => ({ ...line, y: pixel(line.y), height: Math.max(1, pixel(line.y + line.height) - pixel(line.y)) }));
    if (chunks === undefined) paintBins(image, store, store.levels(from, to, width), moved, from, to, colors);
    else paintCalls(image, store, chunks, moved, from, to, colors, this.isDim);
    const sheet = new OffscreenCanvas(width, height);
    /** @type {OffscreenCanvasRenderingContext2D} */ (sheet.getContext("2d")).putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(sheet, plot.left, plot.top, plot.width, plot.height);
    if (chunks === undefined) return;
    this.within(plot, () => writeCalls(context, store, chunks, lines, place, from, to, colors, this.isDim));
  }

  /** Draws nothing outside the rows. @param {any} plot @param {() => void} drawing */
  within(plot, drawing) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top, plot.width, plot.height);
    context.clip();
    drawing();
    context.restore();
  }

  /** The whole run in one line, and where the view is. @param {ReturnType<Scene["layout"]>} layout */
  drawMap({ plot }) {
    const { context, view, store } = this;
    const colors = /** @type {any} */ (this.colors);
    const [first, last] = view.bounds;
    if (this.map?.width !== Math.floor(plot.width) || this.mapScheme !== colors.packedInk + colors.classes.join()) {
      const width = Math.floor(plot.width);
      const image = new ImageData(width, MAP - 8);
      paintBins(image, store, [store.coarse], [{ y: 0, height: MAP - 8, first: 0, count: view.all }], first, last, colors);
      this.map = new OffscreenCanvas(width, MAP - 8);
      this.mapScheme = colors.packedInk + colors.classes.join();
      /** @type {OffscreenCanvasRenderingContext2D} */ (this.map.getContext("2d")).putImageData(image, 0, 0);
    }
    context.drawImage(this.map, plot.left, 4);
    const place = (/** @type {number} */ time) => plot.left + (time - first) / (last - first) * plot.width;
    context.globalAlpha = 0.6;
    context.fillStyle = colors.ground;
    context.fillRect(plot.left, 3, place(view.from) - plot.left, MAP - 6);
    context.fillRect(place(view.to), 3, plot.left + plot.width - place(view.to), MAP - 6);
    context.globalAlpha = 1;
    context.strokeStyle = colors.accent;
    context.lineWidth = 1.5;
    context.strokeRect(place(view.from), 3, Math.max(place(view.to) - place(view.from), 2), MAP - 6);
  }

  /** @param {any} plot @param {(time: number) => number} place */
  drawRegions(plot, place) {
    const { context, view, store } = this;
    const colors = /** @type {any} */ (this.colors);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (const [from, to, depth, name] of store.data.regions) {
      if (to <= view.from || from >= view.to || depth >= this.depths) continue;
      const [left, right] = [place(Math.max(from, view.from)), place(Math.min(to, view.to))];
      const y = MAP + 4 + depth * BAND;
      context.fillStyle = colors.gray;
      context.fillRect(left, y, Math.max(right - left - 1, 0.5), BAND - 2);
      const fits = Math.floor((right - left - 8) / 6);
      if (fits < Math.min(3, name.length)) continue;
      context.fillStyle = colors.ink;
      context.fillText(name.length > fits ? `${name.slice(0, fits - 1)}…` : name, left + 4, y + BAND / 2 - 0.5);
    }
  }

  /** Lines from sender to receiver where rows and messages are few enough; else the square of the pattern tells of them. @param {any} layout @param {(time: number) => number} place */
  drawMessages({ plot, lines, each, size }, place) {
    const { context, view } = this;
    this.hasLines = false;
    const shown = new Set();
    for (const message of (this.chunks ?? []).flatMap((chunk) => chunk.messages)) {
      const isIn = message.begin < view.to && message.end > view.from;
      const rows = [message.from, message.to];
      if (isIn && rows.some((row) => row + 1 > view.top && row < view.top + view.rows)) shown.add(message);
    }
    const y = (/** @type {number} */ row) => plot.top + (row + 0.4 - view.top) * size;
    let ink = 0;
    const inside = (/** @type {number} */ y) => Math.min(Math.max(y, plot.top), plot.top + plot.height);
    for (const { begin, end, from, to } of shown) {
      ink += Math.hypot(place(Math.min(end, view.to)) - place(Math.max(begin, view.from)), inside(y(to)) - inside(y(from)));
    }
    this.thinned = 2 ** Math.max(0, Math.ceil(Math.log2(ink / (COVER * plot.width * plot.height))));
    this.hasLines = this.chunks !== undefined && each === 1 && lines.length <= LINES && this.thinned <= THINNEST;
    if (!this.hasLines || !this.showsMessages) return;
    this.within(plot, () => {
      context.strokeStyle = /** @type {any} */ (this.colors).ink;
      context.globalAlpha = 0.7;
      context.lineWidth = 1;
      context.beginPath();
      for (const message of shown) {
        // The same ones from near as from far, and no rhythm of the program's.
        if (scattered(message) % this.thinned > 0) continue;
        context.moveTo(place(message.begin), y(message.from));
        context.lineTo(place(message.end), y(message.to));
      }
      context.stroke();
    });
  }

  /** Marks, and the selected call. @param {any} layout @param {(time: number) => number} place */
  drawMarks({ plot, size }, place) {
    const { context, view } = this;
    const colors = /** @type {any} */ (this.colors);
    context.fillStyle = context.strokeStyle = colors.accent;
    for (const mark of view.marks.filter((mark) => mark >= view.from && mark <= view.to)) {
      context.fillRect(place(mark), MAP, 1.5, plot.top + plot.height - MAP);
      context.fillText(moment(mark, (view.to - view.from) / 1000), place(mark) + 4, MAP + 6);
    }
    const call = findCall(this.store, view.selected);
    if (call === null) return;
    const [left, right] = [place(call.start), place(call.end)].map((x) => Math.min(Math.max(x, plot.left - 2), plot.left + plot.width + 2));
    context.lineWidth = 2;
    const y = plot.top + (call.row - view.top) * size;
    this.within(plot, () => context.strokeRect(left - 1, y - 1, Math.max(right - left, 2) + 2, Math.max(size, 4) + 1));
  }

  /** @param {any} layout */
  drawLabels({ plot, lines }) {
    const { context, store } = this;
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = /** @type {any} */ (this.colors).ink;
    let free = 0;
    for (const line of lines) {
      const middle = line.y + line.height / 2;
      if (middle < free || middle < plot.top || middle > plot.top + plot.height) continue;
      context.fillText(store.rowNames(line.first, line.count), plot.left - 8, middle, plot.left - 10);
      free = middle + 14;
    }
    context.textAlign = "left";
  }

  /** What lies at a point of the canvas. @param {number} x @param {number} y */
  at(x, y) {
    const { plot, size, width } = this.layout();
    const { view } = this;
    const share = (x - plot.left) / plot.width;
    const [first, last] = view.bounds;
    const [time, row] = [view.from + share * (view.to - view.from), Math.floor(view.top + (y - plot.top) / size)];
    const isRow = y >= plot.top && y < plot.top + plot.height && row < view.all && row >= 0 && x < width;
    return { time, row: isRow ? row : -1, isMap: y < MAP, isAxis: y >= plot.top + plot.height, mapTime: first + share * (last - first), pixel: (view.to - view.from) / plot.width, size, x, y };
  }
}

/** A number that is different for messages that are alike. @param {import("#timeline-decode").Message} message */
function scattered({ begin, from, to }) {
  const mixed = Math.imul(begin % 2 ** 31 ^ from * 40_503 ^ to * 65_599, 0x9e3779b1);
  return Math.imul(mixed ^ mixed >>> 15, 0x85ebca6b) >>> 8;
}
