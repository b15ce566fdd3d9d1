// @ts-check
// How long the calls in view take, as a histogram over powers of ten; a part of it that is brushed, or set by keys, filters the
// calls. In: scene and view. Out: a range of nanoseconds, or none.

import { firstIn } from "#timeline-rows";
import { count, duration } from "#timeline-format";

const [EACH, DECADES] = [8, 11]; // Bars to a power of ten, from 1 ns to 100 s.
const BARS = EACH * DECADES;

/** @param {number} ns */
function bar(ns) {
  return Math.min(BARS - 1, Math.max(0, Math.floor(Math.log10(Math.max(ns, 1)) * EACH)));
}

/** @param {number} bar */
function least(bar) {
  return bar <= 0 ? 0 : 10 ** (bar / EACH);
}

export class Durations {
  /** @param {HTMLCanvasElement} canvas @param {HTMLElement} caption @param {() => void} changed */
  constructor(canvas, caption, changed) {
    this.canvas = canvas;
    this.caption = caption;
    this.changed = changed;
    /** First and last bar that are chosen. @type {[number, number] | null} */
    this.range = null;
    this.bars = new Float64Array(BARS);
    let from = -1;
    const at = (/** @type {PointerEvent} */ event) => {
      return Math.min(BARS - 1, Math.max(0, Math.floor(event.offsetX / canvas.clientWidth * BARS)));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.choose((from = at(event)), from);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) this.choose(from, at(event));
    });
    canvas.addEventListener("dblclick", () => this.clear());
    canvas.addEventListener("keydown", (event) => {
      const [first, last] = this.range ?? [0, BARS - 1];
      const moves = /** @type {Record<string, [number, number]>} */ ({
        ArrowLeft: event.shiftKey ? [first, last - 1] : [first - 1, last], ArrowRight: event.shiftKey ? [first, last + 1] : [first + 1, last],
      });
      if (event.key === "Escape") this.clear();
      else if (moves[event.key] !== undefined) this.choose(...moves[event.key]);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** @param {number} one @param {number} other */
  choose(one, other) {
    const within = (/** @type {number} */ bar) => Math.min(BARS - 1, Math.max(0, bar));
    this.range = [within(Math.min(one, other)), within(Math.max(one, other))];
    this.changed();
  }

  clear() {
    this.range = null;
    this.changed();
  }

  /** Whether a duration is chosen. @param {number} ns */
  has(ns) {
    return this.range === null || (bar(ns) >= this.range[0] && bar(ns) <= this.range[1]);
  }

  /** @param {import("#timeline-decode").Chunk[] | undefined} chunks @param {number[]} rows @param {number} from @param {number} to
   * @param {any} colors */
  draw(chunks, rows, from, to, colors) {
    this.bars.fill(0);
    for (const [number, chunk] of (chunks ?? []).entries()) {
      for (const row of rows) {
        const calls = chunk.rows[row];
        // What was carried on from a chunk before is counted there.
        const first = Math.max(firstIn(calls, from), number > 0 ? calls.carried : 0);
        for (let call = first; call < calls.start.length && calls.start[call] < to; call++) {
          if (calls.end[call] >= from) this.bars[bar(calls.end[call] - calls.start[call])] += 1;
        }
      }
    }
    const { canvas } = this;
    canvas.hidden = chunks === undefined;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const most = Math.max(...this.bars);
    const [each, room] = [width / BARS, height - 16];
    this.bars.forEach((calls, at) => {
      const size = calls === 0 ? 0 : Math.max(2, Math.log1p(calls) / Math.log1p(most) * (room - 2));
      context.fillStyle = this.has(least(at) * 1.01 + 0.01) ? colors.accent : colors.gray;
      context.fillRect(at * each, room - size, Math.max(each - 1, 1), size);
    });
    context.fillStyle = colors.ink;
    context.fillRect(0, room, width, 1);
    context.font = "10px system-ui, sans-serif";
    context.textBaseline = "top";
    ["1 ns", "1 µs", "1 ms", "1 s"].forEach((label, at) => context.fillText(label, at * 3 * EACH * each + 1, room + 4));
    const all = this.bars.reduce((sum, calls) => sum + calls, 0);
    const chosen = this.range === null ? all : this.bars.slice(this.range[0], this.range[1] + 1).reduce((sum, calls) => sum + calls, 0);
    const range = this.range === null ? "" : `, ${count(chosen)} of ${duration(least(this.range[0]))} to ${duration(least(this.range[1] + 1))}`;
    this.caption.textContent = chunks === undefined ? "Durations: zoom in until single calls are shown" : `${count(all)} calls in view${range}`;
  }
}
