// @ts-check
/**
 * The functions on the paths to MPI as boxes, each below its caller and as wide as its time in MPI, and computing where the run was
 * sampled. A strip in each tells the parts of it that wait and compute; of two runs, the color tells how much more or less time the second has. A click makes a box as wide as the picture; a
 * search marks boxes and adds up their shares.
 *
 * In: an element, and the table `frames` or `path_pairs`.
 *
 * @import { Box, Others } from "#icicle_boxes"
 * @import { Cell, Table } from "#units"
 */
import { boxesOf } from "#icicle_boxes";
import { draw } from "#svg";
import { count, significant, timeAlone } from "#timeline-format";
import { scalesOf, words } from "#units";

/** Pixels: a level's height, and the widths below which a box has no name, or joins the others. */
const LEVEL = 26;
const NAMED = 36;
const LEAST = 2;
/** The column of which boxes have their color, where two runs are compared. */
const DIFFERENCE = "difference_share_percent";

/** Draws the boxes. Returns what draws them of other rows, or with null again of the table's. */
export function icicle(/** @type {HTMLElement} */ element, /** @type {Table} */ table) {
  if (table.rows.length === 0) return null;
  const view = new View(element, table);
  return (/** @type {Cell[][] | null} */ others, /** @type {string} */ of) => view.take(others, of);
}

function make(/** @type {string} */ name, /** @type {string} */ of, text = "") {
  const element = document.createElement(name);
  element.className = of;
  element.textContent = text;
  return element;
}

class View {
  constructor(/** @type {HTMLElement} */ element, /** @type {Table} */ table) {
    this.table = table;
    this.rows = table.rows;
    this.scales = scalesOf(table.columns, table.rows);
    this.places = new Map(table.columns.map(({ key }, at) => [key, at]));
    /** The path that is as wide as the picture. @type {number | null} */
    this.top = null;
    /** The path that keys go from. @type {number | null} */
    this.at = null;
    this.sought = "";
    this.all = /** @type {HTMLButtonElement} */ (make("button", "", "Show all"));
    this.all.addEventListener("click", () => this.zoom(null));
    this.said = make("span", "count");
    this.said.setAttribute("role", "status");
    this.of = make("span", "part");
    this.scroll = make("div", "icicle");
    this.figures = make("dl", "figures");
    const top = make("div", "over");
    top.append(this.of, this.said, this.searchBox(), this.all);
    element.append(top, this.key(), this.scroll, this.figures);
    this.again = draw(this.scroll, (width) => this.tree(width));
    this.tell(null);
  }

  take(/** @type {Cell[][] | null} */ rows, /** @type {string} */ of) {
    this.of.textContent = of;
    this.rows = rows ?? this.table.rows;
    this.again();
    this.tell(null);
  }

  searchBox() {
    const box = /** @type {HTMLInputElement} */ (make("input", ""));
    box.type = "search";
    box.placeholder = "Find functions";
    box.setAttribute("aria-label", "Find functions on call paths");
    box.addEventListener("input", () => {
      this.sought = box.value.trim().toLowerCase();
      this.again();
    });
    return box;
  }

  /** What the colors mean. */
  key() {
    const list = make("ul", "legend");
    const hasWaits = this.table.rows.some((row) => typeof this.cell(row, "wait_s") === "number");
    const mpi = hasWaits ? [["part-waiting_s", "waiting"], ["in-mpi", "in MPI, not waiting"]] : [["in-mpi", "in MPI"]];
    if (this.places.has("compute_s")) mpi.push(["part-computation_s", "computing"]);
    const names = this.places.has(DIFFERENCE) ? [["is-more", "longer in B"], ["is-less", "shorter in B"]] : mpi;
    for (const [color, name] of names) {
      const entry = make("li", "");
      entry.append(make("span", `swatch ${color}`), name);
      list.append(entry);
    }
    return list;
  }

  /** @returns {any} */
  cell(/** @type {Cell[]} */ row, /** @type {string} */ key) {
    return row[this.places.get(key) ?? -1];
  }

  tree(/** @type {number} */ width) {
    const hadFocus = this.scroll.contains(document.activeElement);
    const { boxes, others } = boxesOf(this.table.columns, this.rows, this.top, (100 * LEAST) / width);
    if (!boxes.some(({ path }) => path === this.at)) this.at = boxes[0]?.path ?? null;
    const tree = make("div", "");
    tree.setAttribute("role", "tree");
    const time = this.places.has("spent_s") ? "time computing and in MPI" : "time in MPI";
    tree.setAttribute("aria-label", `Functions by their ${time}, each below its caller`);
    tree.style.height = `${LEVEL * (1 + boxes.reduce((deepest, { level }) => Math.max(deepest, level), 0))}px`;
    tree.append(...boxes.map((box) => this.box(box, width)), ...others.map((box) => this.others(box, width)));
    tree.addEventListener("keydown", (event) => this.press(event, boxes));
    this.all.disabled = this.top === null;
    this.said.textContent = this.found();
    // It is not in the page before this returns.
    if (hadFocus) queueMicrotask(() => this.focus());
    return [tree];
  }

  place(/** @type {HTMLElement} */ element, /** @type {{ left: number, width: number, level: number }} */ { left, width, level }) {
    element.style.left = `${left}%`;
    element.style.width = `${width}%`;
    element.style.top = `${LEVEL * level}px`;
    return element;
  }

  box(/** @type {Box} */ box, /** @type {number} */ across) {
    const { row, path, width, level, isAbove } = box;
    const name = String(this.cell(row, "function"));
    const element = this.place(make("div", "box", (width / 100) * across < NAMED ? "" : name), box);
    element.classList.toggle("above", isAbove);
    element.classList.toggle("found", this.isFound(row));
    const difference = this.cell(row, DIFFERENCE);
    if (typeof difference === "number") element.classList.add(difference > 0 ? "is-more" : "is-less");
    const computes = Number(this.cell(row, "compute_share_percent") ?? 0);
    const waits = (Number(this.cell(row, "wait_share_percent") ?? 0) * (100 - computes)) / 100;
    element.style.setProperty("--share", `${Math.abs(difference ?? waits)}%`);
    element.style.setProperty("--computing", `${computes}%`);
    element.dataset.path = String(path);
    element.tabIndex = path === this.at ? 0 : -1;
    element.setAttribute("role", "treeitem");
    element.setAttribute("aria-level", String(level + 1));
    element.setAttribute("aria-label", this.inWords(row).map(([heading, value]) => `${heading} ${value}`).join(", "));
    element.addEventListener("click", () => this.zoom(path === this.top ? this.cell(row, "caller_path") : path));
    element.addEventListener("pointerenter", () => this.tell(row));
    element.addEventListener("focus", () => this.tell(row));
    return element;
  }

  others(/** @type {Others} */ box, /** @type {number} */ across) {
    const said = `${count(box.count)} smaller`;
    const element = this.place(make("div", "box others", (box.width / 100) * across < 2.5 * NAMED ? "" : said), box);
    element.title = `${said}: zoom in to see them`;
    return element;
  }

  /** A row's figures with their headings; what is unknown is left out. @returns {[string, string][]} */
  inWords(/** @type {Cell[]} */ row) {
    const named = this.table.columns.map((column, at) => ({ column, cell: row[at] })).filter(({ column, cell }) => column.unit !== "number" && cell !== null && cell !== "");
    return named.map(({ column, cell }) => {
      if (column.unit === "seconds") return [column.heading, timeAlone(Number(cell))];
      const said = words(column, cell, this.scales);
      return column.unit === "percent" ? [column.heading.replace(" %", ""), `${said} %`] : [column.heading, said];
    });
  }

  /** Shows the figures of a row; without one, of nothing. */
  tell(/** @type {Cell[] | null} */ row) {
    const entries = row === null ? [["", "Point at a function for its figures; click to zoom in; arrow keys, Enter and Escape do the same."]] : this.inWords(row);
    this.figures.replaceChildren(...entries.map(([heading, value]) => {
      const entry = make("div", "");
      entry.append(make("dt", "", heading), make("dd", "", value));
      return entry;
    }));
  }

  isFound(/** @type {Cell[]} */ row) {
    return this.sought !== "" && String(this.cell(row, "function")).toLowerCase().includes(this.sought);
  }

  /** The share of the functions that are sought: one inside another counts once. */
  found() {
    if (this.sought === "") return "";
    const byPath = new Map(this.rows.map((row) => [this.cell(row, "path"), row]));
    const found = this.rows.filter((row) => this.isFound(row));
    const outermost = found.filter((row) => {
      let caller = byPath.get(this.cell(row, "caller_path"));
      while (caller && !this.isFound(caller)) caller = byPath.get(this.cell(caller, "caller_path"));
      return caller === undefined;
    });
    const isSampled = this.places.has("spent_s");
    const width = isSampled ? "spent_s" : "time_total_s";
    const time = (/** @type {Cell[][]} */ rows) => rows.reduce((sum, row) => sum + Number(this.cell(row, width)), 0);
    const share = (100 * time(outermost)) / time(this.rows.filter((row) => this.cell(row, "caller_path") === null));
    return found.length === 0 ? "no such function" : `${count(found.length)} found: ${significant(share, 3, 1)} % of the time${isSampled ? "" : " in MPI"}`;
  }

  zoom(/** @type {number | null} */ path) {
    this.top = path;
    this.at = path ?? this.at;
    this.again();
  }

  focus() {
    /** @type {HTMLElement | null} */ (this.scroll.querySelector(`[data-path="${this.at}"]`))?.focus();
  }

  press(/** @type {KeyboardEvent} */ event, /** @type {Box[]} */ boxes) {
    const here = boxes.find(({ path }) => path === this.at);
    if (here === undefined) return;
    const beside = boxes.filter(({ level }) => level === here.level);
    const next = (/** @type {number} */ step) => beside[beside.indexOf(here) + step]?.path;
    const caller = this.cell(here.row, "caller_path");
    const top = this.rows.find((row) => this.cell(row, "path") === this.top);
    /** @type {Record<string, () => number | null | undefined>} */
    const to = {
      ArrowUp: () => caller,
      ArrowDown: () => boxes.find(({ row }) => this.cell(row, "caller_path") === here.path)?.path,
      ArrowLeft: () => next(-1),
      ArrowRight: () => next(1),
      Home: () => boxes[0].path,
    };
    if (event.key === "Enter" || event.key === " ") this.zoom(here.path);
    else if (event.key === "Escape") this.zoom(top ? this.cell(top, "caller_path") : null);
    else if (event.key in to) this.at = to[event.key]() ?? this.at;
    else return;
    event.preventDefault();
    this.scroll.querySelectorAll(".box[tabindex]").forEach((box) => /** @type {HTMLElement} */ (box).tabIndex = -1);
    this.focus();
    /** @type {HTMLElement | null} */ (document.activeElement)?.setAttribute("tabindex", "0");
  }
}
