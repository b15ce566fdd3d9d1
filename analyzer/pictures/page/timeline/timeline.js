// @ts-check
// The timeline of a run. In: an element, and the data that `overhear` made (PageData of page_data.rs). Out: a
// picture to zoom in, from the whole run to single calls; `onSelect` hears what comes to pass in view, added up.

import { beside, callAt, causeOf, findCall, loaded, matcher, search } from "#timeline-find";
import { Durations } from "#timeline-durations";
import { rows as factRows, show } from "#timeline-facts";
import { duration, moment } from "#timeline-format";
import { showTip, under } from "#timeline-hover";
import { KEYS, listen } from "#timeline-input";
import { legend } from "#timeline-legend";
import { Pattern } from "#timeline-pattern";
import { rowOrder } from "#timeline-row-order";
import { Scene } from "#timeline-scene";
import { Store } from "#timeline-store";
import { sums } from "#timeline-sums";
import { View } from "#timeline-view";

/** @param {string} tag @param {string} name @param {string} [text] */
function make(tag, name, text = "") {
  const element = document.createElement(tag);
  [element.className, element.textContent] = [`timeline-${name}`, text];
  return element;
}

/** The elements. @param {any} data */
function build(data) {
  const canvas = /** @type {HTMLCanvasElement} */ (make("canvas", "canvas"));
  const named = (/** @type {HTMLElement} */ element, /** @type {string} */ role, /** @type {string} */ label) => {
    element.setAttribute("role", role);
    element.setAttribute("aria-label", label);
    return element;
  };
  named(canvas, "application", `Timeline of ${data.ranks.length} ranks. Press ? for the keys; calls in words follow below.`);
  const durations = /** @type {HTMLCanvasElement} */ (make("canvas", "durations"));
  named(durations, "application", "Durations of the calls in view. Arrows move the lower end of the filter, with Shift the upper; Escape clears it.");
  canvas.tabIndex = durations.tabIndex = 0;
  const pattern = /** @type {HTMLCanvasElement} */ (make("canvas", "pattern"));
  pattern.setAttribute("role", "img");
  const find = /** @type {HTMLInputElement} */ (named(make("input", "find"), "searchbox", "Search for a function, call site or communicator"));
  [find.type, find.placeholder] = ["search", "call, site, communicator"];
  const live = make("p", "live");
  live.setAttribute("aria-live", "polite");
  const dialog = /** @type {HTMLDialogElement} */ (make("dialog", "keys"));
  const keys = make("dl", "facts");
  show(keys, KEYS);
  dialog.append(make("h2", "title", "Keys"), keys);
  dialog.addEventListener("click", () => dialog.close());
  const help = make("button", "help", "? keys");
  help.addEventListener("click", () => dialog.showModal());
  const [bar, side] = [make("div", "bar"), make("div", "side")];
  const [hint, facts, caption, messages] = [make("span", "hint"), make("dl", "facts"), make("p", "caption"), make("p", "caption")];
  bar.append(find, help);
  const tip = make("div", "tip");
  tip.hidden = true;
  const [left, right] = [make("div", "half"), make("div", "half")];
  left.append(facts, messages, pattern);
  right.append(caption, durations);
  side.append(live, left, right);
  return { bar, canvas, hint, side, live, facts, caption, durations, messages, pattern, find, dialog, tip };
}

const LATE = 300; // Milliseconds until a wait for parts is said.

/** What is in view: times, and rows by their numbers. @typedef {{from: number, to: number, rows: number[]}} Interval */

/** How a timeline is one of two: its name in the page's address, the other's data, and who hears of its moves.
 * @typedef {{key: string, other: any, onMove: (view: View) => void}} Paired */

/** @param {HTMLElement} element @param {any} data
 * @param {{onSelect?: (view: {sums: import("#timeline-sums").Sums | null, isAll: boolean, words: string, interval: Interval}) => void,
 *   onWait?: () => void, paired?: Paired}} [how] onWait hears that parts of what is in view are still being loaded */
export function mount(element, data, { onSelect = () => {}, onWait = () => {}, paired } = {}) {
  const parts = build(data);
  element.classList.add("timeline");
  element.replaceChildren(parts.bar, parts.canvas, parts.hint, parts.side, parts.dialog, parts.tip);
  const whose = data.regions.length > 0 ? [`Regions are those of ${data.regions_of}`] : [];
  let waiting = false;
  let settled = 0;
  let wait = -1;
  /** @type {((kind: import("#timeline-decode").Kind) => boolean) | null} */
  let matches = null;
  const redraw = () => {
    if (!waiting) requestAnimationFrame(draw);
    waiting = true;
  };
  const store = new Store(data, redraw);
  const view = new View(data, () => {
    if (store.ordered !== view.order) {
      store.arrange(view.order);
      summed = null;
      order?.show();
    }
    redraw();
    clearTimeout(settled);
    settled = window.setTimeout(settle, 150);
    paired?.onMove(view);
  }, { key: paired?.key ?? "timeline", length: paired === undefined ? 0 : paired.other.to - paired.other.from });
  const all = paired === undefined ? [data] : [data, paired.other];
  const scene = new Scene(parts.canvas, store, view, all);
  // Rows of two runs stand beside each other by rank.
  const order = paired === undefined ? rowOrder(store, view) : null;
  if (order !== null) parts.bar.prepend(order.label);
  parts.bar.prepend(legend(all, scene, redraw));
  const durations = new Durations(parts.durations, parts.caption, redraw);
  const pattern = new Pattern(store, parts.pattern, parts.messages);
  pattern.hide();
  /** What is in view comes to, when it has been added up. @type {import("#timeline-sums").Sums | null} */
  let summed = null;
  let views = 0;
  scene.isDim = (chunk, row, call) => {
    const calls = chunk.rows[row];
    return !durations.has(calls.end[call] - calls.start[call]) || (matches !== null && !matches(chunk.kinds[calls.kind[call]]));
  };
  /** Rows in view. */
  const rows = () => {
    const [first, last] = [Math.floor(view.top + 1e-6), Math.min(view.all, Math.ceil(view.top + view.rows - 1e-6))];
    return Array.from({ length: last - first }, (_, at) => first + at);
  };

  function draw() {
    waiting = false;
    const began = performance.now();
    scene.draw();
    durations.draw(scene.chunks, rows(), view.from, view.to, scene.colors);
    if (scene.hasLines || summed === null) pattern.hide();
    else pattern.draw(summed.rows.map(({ row }) => row), summed.pairs, scene.colors);
    const call = findCall(store, view.selected);
    const words = call === null ? [] : factRows(store, call);
    show(parts.facts, words, toCause);
    const spoken = call === null ? `${inWords()}. No call is selected.` : words.slice(0, 7).map(([name, text]) => `${name} ${text}`).join(", ");
    if (parts.live.textContent !== spoken) parts.live.textContent = spoken;
    const thinned = scene.hasLines && scene.showsMessages && scene.thinned > 1 ? [`1 of ${scene.thinned} messages is drawn`] : [];
    parts.hint.textContent = store.missing() || [...whose, ...data.notes, ...thinned].join("; ");
    // What a frame took, for tests and for whoever wonders.
    element.dataset.frame = (performance.now() - began).toFixed(1);
    element.dataset.calls = scene.chunks === undefined ? "bins" : "calls";
  }

  /** What is in view. */
  function inWords() {
    const range = `${moment(view.from, (view.to - view.from) / 1000)} to ${moment(view.to, (view.to - view.from) / 1000)}`;
    return `${range}, ${duration(view.to - view.from)}; ${rows().length} of ${view.all} ranks`;
  }

  function settle() {
    view.write();
    tell();
  }

  /** Adds up what is in view, unless the view changes meanwhile. */
  async function tell() {
    const number = ++views;
    const { from, to } = view;
    const isAll = from <= data.from && to >= data.to && rows().length === view.all;
    const late = window.setTimeout(() => {
      if (number === views && !isAll) onWait();
    }, LATE);
    const found = await sums(store, from, to, rows(), () => number !== views);
    clearTimeout(late);
    if (number !== views) return;
    summed = found;
    redraw();
    const byRank = found && { ...found, rows: [...found.rows].sort((a, b) => a.rank - b.rank) };
    const inPage = rows().map((row) => store.rowAt[row]).sort((a, b) => a - b);
    const words = found === null ? store.missing() : inWords();
    onSelect({ sums: byRank, isAll, words, interval: { from, to, rows: inPage } });
  }

  /** Zooms to a call, so that it takes a fifth of the width. @param {number} start @param {number} end */
  function zoomTo(start, end) {
    const margin = Math.max((end - start) * 2, 100);
    view.show(start - margin, end + margin);
  }

  /** Selects a call, when its chunk has come. @param {{row: number, start: number}} which */
  async function reach(which) {
    const holds = (/** @type {any} */ part) => part.from <= which.start && which.start <= part.to;
    await Promise.all(data.chunks.filter(holds).map((/** @type {any} */ part) => loaded(store, part)));
    view.select(which);
  }

  /** Goes to the call that a wait is blamed on. @param {any} wait */
  async function toCause(wait) {
    const row = store.data.ranks.findIndex((/** @type {any} */ rank) => rank.name === wait.cause);
    const cause = row < 0 ? null : await causeOf(store, row, wait);
    if (cause === null) {
      parts.live.textContent = "The call that came late is of a rank that is not shown.";
      return;
    }
    view.select(cause);
    const call = findCall(store, cause);
    if (call !== null && (call.start < view.from || call.end > view.to)) view.show(Math.min(call.start, wait.from), Math.max(call.end, wait.until));
  }

  /** Goes to one of the listed waits. @param {number} number */
  function toWait(number) {
    const { row, call, from, until } = store.data.waits[number];
    wait = number;
    zoomTo(from, until);
    reach({ row, start: call });
  }

  const actions = {
    redraw,
    hover: (/** @type {any} */ at) => {
      const { offsetLeft, offsetTop } = parts.canvas;
      showTip(parts.tip, at === null ? "" : under(scene, at), offsetLeft + (at?.x ?? 0), offsetTop + (at?.y ?? 0));
    },
    click: (/** @type {any} */ at) => {
      if (at.row < 0) return;
      if (scene.chunks === undefined) return view.zoom(0.4, at.time);
      view.select(callAt(scene.chunks, at.row, at.time, at.pixel * 3));
    },
    focus: () => {
      const call = findCall(store, view.selected);
      if (call !== null) zoomTo(call.start, call.end);
    },
    mark: () => {
      const at = view.selected?.start ?? Math.round((view.from + view.to) / 2);
      const others = view.marks.filter((mark) => Math.abs(mark - at) > (view.to - view.from) / 500);
      view.marks = others.length < view.marks.length ? others : [...others, at];
      view.changed();
    },
    row: (/** @type {number} */ by) => {
      if (view.selected === null || scene.chunks === undefined) return view.showRows(view.top + by * Math.max(1, view.rows / 8), view.rows);
      const row = Math.min(Math.max(view.selected.row + by, 0), view.all - 1);
      const time = view.selected.start;
      view.select(callAt(scene.chunks, row, time, 0) ?? beside(scene.chunks, row, time, false) ?? beside(scene.chunks, row, time, true) ?? view.selected);
    },
    beside: (/** @type {boolean} */ isBack) => {
      const chunks = scene.chunks;
      if (chunks === undefined) return;
      const { row, start } = view.selected ?? { row: Math.floor(view.top), start: view.from };
      const next = beside(chunks, row, start, isBack);
      if (next === null) return;
      view.select(next);
      if (next.start < view.from || next.start > view.to) view.pan(isBack ? -0.5 : 0.5);
    },
    wait: (/** @type {number} */ by) => {
      if (data.waits.length === 0) return;
      wait = Math.min(Math.max(wait + by, 0), data.waits.length - 1);
      toWait(wait);
    },
    search: () => parts.find.focus(),
    help: () => parts.dialog.showModal(),
  };
  listen(parts.canvas, scene, view, actions);
  parts.find.addEventListener("input", () => {
    matches = parts.find.value === "" ? null : matcher(store, parts.find.value);
    redraw();
  });
  parts.find.addEventListener("keydown", async (event) => {
    if (event.key === "Escape") {
      [parts.find.value, matches] = ["", null];
      parts.canvas.focus();
      redraw();
    }
    if (event.key !== "Enter" || matches === null) return;
    const after = view.selected?.start ?? view.from - 1;
    const found = (await search(store, matches, after, rows())) ?? (await search(store, matches, -Infinity, rows()));
    if (found === null) {
      parts.live.textContent = `No call of these ranks is named like ${parts.find.value}`;
      return;
    }
    view.select(found);
    const call = findCall(store, found);
    if (call !== null && (call.start < view.from || call.end > view.to || scene.chunks === undefined)) zoomTo(call.start, call.end);
  });
  new ResizeObserver(redraw).observe(parts.canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  // A page may have a switch of its own.
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  window.addEventListener("hashchange", () => view.read());
  if (view.read() && view.selected !== null) reach(view.selected);
  redraw();
  settled = window.setTimeout(tell, 150);
  return {
    view, store, scene, toWait,
    /** @param {number} from @param {number} to @param {number[]} rows @param {() => boolean} [isOver] */
    sums: (from, to, rows, isOver = () => false) => sums(store, from, to, rows, isOver),
  };
}
