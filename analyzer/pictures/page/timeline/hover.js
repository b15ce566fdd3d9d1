// @ts-check
// Words beside the pointer: the call there, or how the time in that pixel was spent. In: store and scene. Out: a text in an element.

import { callAt, findCall } from "#timeline-find";
import { rows as factRows } from "#timeline-facts";
import { decimal, duration, moment } from "#timeline-format";

/** Facts of a call that the words have. */
const TOLD = ["call", "at", "source", "took", "to", "from", "root", "on", "waited"];

/** The shares of a line's time in the bin at a time, the largest first.
 * @param {import("#timeline-scene").Scene} scene @param {import("#timeline-shares").Line} line @param {number} time */
function sharesAt(scene, line, time) {
  const { store, view } = scene;
  const levels = store.levels(view.from, view.to, scene.layout().plot.width);
  const level = levels.filter(({ from }) => from <= time).at(-1) ?? levels[0];
  const bin = Math.min(level.count - 1, Math.max(0, Math.floor((time - level.from) / level.width)));
  const [from, to] = [level.from + bin * level.width, level.from + (bin + 1) * level.width];
  const times = new Float64Array(store.classes);
  let there = 0;
  for (let row = line.first; row < line.first + line.count; row++) {
    there += store.ran(row, from, to) * Math.max(1, store.data.ranks[row].threads);
    for (let one = 1; one < store.classes; one++) times[one] += level.sums[row][(bin + 1) * store.classes + one] - level.sums[row][bin * store.classes + one];
  }
  const inMpi = times.reduce((sum, time) => sum + time, 0);
  const all = Math.max(there, inMpi);
  if (!(all > 0)) return "";
  times[0] = all - inMpi;
  const parts = [...times].map((time, at) => ({ share: 100 * time / all, name: store.data.classes[at] }));
  return parts.filter(({ share }) => share >= 0.05).sort((a, b) => b.share - a.share).map(({ share, name }) => `${name} ${decimal(share, 1)} %`).join("\n");
}

/** What a line computes at a point. @param {import("#timeline-store").Store} store @param {import("#timeline-shares").Line} line @param {any} at */
function computation(store, line, at) {
  const functions = line.count > 1 ? "" : store.computes(at.row, at.time);
  return functions === "" ? "computation" : `computation, sampled in ${functions}`;
}

/** @param {import("#timeline-scene").Scene} scene @param {any} at a point, as the scene has it */
export function under(scene, at) {
  const { store } = scene;
  if (at.isAxis) return "drag to zoom";
  if (at.row < 0) return "";
  const line = scene.layout().lines.find(({ first, count }) => at.row >= first && at.row < first + count);
  if (line === undefined) return "";
  const name = (/** @type {number} */ row) => store.data.ranks[row].label;
  const call = scene.chunks === undefined ? null : findCall(store, callAt(scene.chunks, at.row, at.time, at.pixel));
  if (call !== null) {
    const facts = factRows(store, call).filter(([name]) => TOLD.includes(name)).slice(1).map(([name, text]) => `${name} ${text}`);
    return [`rank ${name(at.row)}: ${factRows(store, call)[0][1]}, ${duration(call.end - call.start)}`, ...facts.filter((text) => !text.startsWith("took")), `at ${moment(at.time, at.pixel)}`].join("\n");
  }
  const who = `rank${line.count > 1 ? "s" : ""} ${store.rowNames(line.first, line.count)}`;
  const words = scene.chunks === undefined ? sharesAt(scene, line, at.time) : computation(store, line, at);
  return `${who} at ${moment(at.time, at.pixel)}\n${words}`;
}

/** Shows words beside a point of the timeline. @param {HTMLElement} tip @param {string} text @param {number} x @param {number} y */
export function showTip(tip, text, x, y) {
  tip.hidden = text === "";
  tip.textContent = text;
  const room = (tip.parentElement?.clientWidth ?? 0) - tip.offsetWidth;
  tip.style.left = `${Math.max(0, Math.min(x + 14, room))}px`;
  tip.style.top = `${y + 18}px`;
}
