// @ts-check
// What is being looked at: an interval, some rows, a call, marks. In: moves. Out: the same within what there is, and as a fragment
// of the page's address, so that a colleague opens the same spot.

const LEAST = 20; // Nanoseconds that fill the width: closer there is nothing to see.

export class View {
  /** @param {{from: number, to: number, ranks: any[], orders: any[]}} data @param {() => void} changed
   * @param {{key: string, length: number}} how its name in the page's address, and the least time that can be shown */
  constructor(data, changed, { key, length }) {
    this.key = key;
    this.bounds = [data.from, Math.max(data.to, data.from + length)];
    this.all = data.ranks.length;
    this.changed = changed;
    [this.from, this.to] = this.bounds;
    this.top = 0;
    this.rows = this.all;
    /** The name of the rows' order; nothing for that by rank. */
    this.order = "";
    this.orders = data.orders.map(({ name }) => name);
    /** The selected call: its row and begin. @type {{row: number, start: number} | null} */
    this.selected = null;
    /** @type {number[]} */
    this.marks = [];
  }

  /** Shows an interval. @param {number} from @param {number} to */
  show(from, to) {
    const [first, last] = this.bounds;
    const span = Math.min(Math.max(to - from, LEAST), last - first);
    this.from = Math.min(Math.max(from, first), last - span);
    this.to = this.from + span;
    this.changed();
  }

  /** @param {number} factor @param {number} at the time that stays in its place */
  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  /** @param {number} share of what is shown */
  pan(share) {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  }

  /** Shows some rows. @param {number} top @param {number} rows */
  showRows(top, rows) {
    this.rows = Math.min(Math.max(rows, 1), this.all);
    this.top = Math.min(Math.max(top, 0), this.all - this.rows);
    this.changed();
  }

  /** @param {number} factor @param {number} at the row that stays in its place */
  zoomRows(factor, at = this.top + this.rows / 2) {
    const rows = Math.min(Math.max(this.rows * factor, 1), this.all);
    this.showRows(at - (at - this.top) * rows / this.rows, rows);
  }

  /** @param {{row: number, start: number} | null} call */
  select(call) {
    this.selected = call;
    if (call !== null && (call.row < this.top || call.row + 1 > this.top + this.rows)) {
      this.top = Math.min(Math.max(call.row + 0.5 - this.rows / 2, 0), this.all - this.rows);
    }
    this.changed();
  }

  /** The view in the page's address. */
  write() {
    const numbers = [this.from, this.to].map((time) => Math.round(time));
    const parts = [numbers.join("-"), [this.top, this.rows].map((row) => Number(row.toFixed(2))).join("-")];
    if (this.order !== "") parts.push(`o${this.orders.indexOf(this.order)}`);
    if (this.selected !== null) parts.push(`c${this.selected.row}-${this.selected.start}`);
    this.marks.forEach((mark) => parts.push(`m${Math.round(mark)}`));
    const fragment = new URLSearchParams(location.hash.slice(1));
    fragment.set(this.key, parts.join("_"));
    history.replaceState(null, "", `#${fragment}`);
  }

  /** Back to what the page's address says, if it does. */
  read() {
    const text = new URLSearchParams(location.hash.slice(1)).get(this.key);
    if (text === null) return false;
    const [time, rows, ...rest] = text.split("_");
    const two = (/** @type {string} */ text) => /^(-?[\d.]+)-(-?[\d.]+)$/.exec(text ?? "")?.slice(1).map(Number);
    const [interval, lines] = [two(time), two(rows)];
    if (interval === undefined || lines === undefined) return false;
    const call = rest.filter((part) => part.startsWith("c")).map((part) => two(part.slice(1)))[0];
    this.selected = call !== undefined && call[0] < this.all ? { row: call[0], start: call[1] } : null;
    this.order = this.orders[rest.filter((part) => /^o\d+$/.test(part)).map((part) => Number(part.slice(1)))[0]] ?? "";
    this.marks = rest.filter((part) => /^m-?\d+$/.test(part)).map((part) => Number(part.slice(1)));
    this.showRows(lines[0], lines[1]);
    this.show(interval[0], interval[1]);
    return true;
  }
}
