// @ts-check
/**
 * Tables that are sorted by their headings, filtered, and shown in full on demand.
 *
 * In: an element, and the tables of a section. Out: the tables in the page; `select` gives one other rows, those of a part of the run,
 * or its own again, and says what they are of.
 *
 * @import { Cell, Table } from "#units"
 */
import { beginsDownwards, compare, matches } from "#order";
import { linesIn } from "#source";
import { count } from "#timeline-format";
import { heading, rowsInWords, scalesOf } from "#units";

/** Rows that are shown of a long table, and from how many on it has a filter. */
const SHOWN = 15;
const FILTERED = 8;
/** Units whose figures have decimals: their points stand below each other. */
const MEASURED = ["seconds", "percent", "ratio"];
/** The section whose tables show source lines below their places; others, where the pointer rests. */
const OF_LINES = "sites";

/** @type {Map<Table, View>} */
const views = new Map();

/** Shows the tables of a section in an element. */
export function show(/** @type {HTMLElement} */ element, /** @type {string} */ section, /** @type {Table[]} */ tables) {
  const heading = document.getElementById(`${section}-title`)?.textContent ?? section;
  tables.forEach((table, at) => {
    const name = table.name.replaceAll("_", " ");
    // The first of a section needs no heading but the section's.
    const view = new View(table, table.title || (at > 0 ? name : ""), `${heading}: ${table.title || name}`, section === OF_LINES);
    views.set(table, view);
    element.append(view.element);
  });
}

/** Gives a table that is shown other rows, or with null its own, and says of which part of the run they are. */
export function select(/** @type {Table} */ table, /** @type {Cell[][] | null} */ rows, /** @type {string} */ of) {
  views.get(table)?.take(rows, of);
}

/** Says of a table that follows the timeline that what it shows is not what is in view yet. */
export function wait(/** @type {Table} */ table) {
  if (table.part) views.get(table)?.wait();
}

/** Makes the first cell of rows a link, where `leads` says that a row leads somewhere. */
export function leadFrom(
  /** @type {Table} */ table,
  /** @type {(row: Cell[]) => boolean} */ leads,
  /** @type {(row: Cell[]) => void} */ go,
) {
  const view = views.get(table);
  if (view === undefined) return;
  view.link = { leads, go };
  view.draw();
}

/** A new element with this text. */
function make(/** @type {string} */ name, text = "", /** @type {Record<string, string>} */ attributes = {}) {
  const element = document.createElement(name);
  element.textContent = text;
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
}

/** The decimals of a figure in words. */
function decimalsOf(/** @type {string} */ text) {
  return /\.(\d+)$/.exec(text)?.[1].length ?? 0;
}

class View {
  constructor(/** @type {Table} */ table, /** @type {string} */ title, /** @type {string} */ label, /** @type {boolean} */ hasLines) {
    this.table = table;
    this.hasLines = hasLines;
    this.rows = table.rows;
    /** @type {{ at: number, downwards: boolean } | null} */
    this.sorted = null;
    this.filter = "";
    /** @type {{ leads: (row: Cell[]) => boolean, go: (row: Cell[]) => void } | null} */
    this.link = null;
    this.all = false;
    /** The part that the rows are of; empty for the whole run. */
    this.words = "";
    this.element = make("div", "", { class: "table" });
    this.head = make("tr");
    this.body = make("tbody");
    this.button = make("button", "", { type: "button", class: "more" });
    this.count = make("p", "", { class: "count", role: "status" });
    this.of = make("span", "", { class: "part" });
    this.build(title, label);
    this.draw();
  }

  wait() {
    this.of.textContent = `of ${this.words || "the whole run"}: what is in view is still being loaded`;
  }

  take(/** @type {Cell[][] | null} */ rows, /** @type {string} */ of) {
    this.of.textContent = of;
    this.words = of.replace(/^of /, "");
    this.element.classList.toggle("selected", rows !== null);
    const others = rows ?? this.table.rows;
    if (others === this.rows) return;
    this.rows = others;
    this.draw();
  }

  build(/** @type {string} */ title, /** @type {string} */ label) {
    const { columns, rows, more, whole } = this.table;
    const top = make("div", "", { class: "over" });
    top.append(title ? make("h3", title) : "", this.of);
    if (rows.length > FILTERED) top.append(this.filterBox(label));
    columns.forEach((column, at) => this.head.append(this.headCell(at, whole)));
    const grid = make("table", "", { "aria-label": label });
    const head = make("thead");
    head.append(this.head);
    grid.append(head, this.body);
    const scroll = make("div", "", { class: "scroll", tabindex: "0", role: "region", "aria-label": label });
    scroll.append(grid);
    this.button.addEventListener("click", () => {
      this.all = !this.all;
      this.draw();
    });
    this.element.append(top, scroll, this.button, this.count);
    if (more > 0) this.element.append(make("p", `${count(more)} more rows are not on this page: the command below has them.`));
  }

  filterBox(/** @type {string} */ label) {
    const box = /** @type {HTMLInputElement} */ (make("input", "", { type: "search", placeholder: "Filter rows" }));
    box.setAttribute("aria-label", `Filter rows of: ${label}`);
    box.addEventListener("input", () => {
      this.filter = box.value.trim();
      this.draw();
    });
    return box;
  }

  headCell(/** @type {number} */ at, /** @type {boolean} */ whole) {
    const { unit, meaning } = this.table.columns[at];
    const cell = make("th", "", { scope: "col", class: unit === "text" ? "name" : "figure" });
    if (meaning) cell.title = meaning;
    if (whole) return cell;
    const button = make("button", "", { type: "button" });
    button.addEventListener("click", () => {
      const downwards = this.sorted?.at === at ? !this.sorted.downwards : beginsDownwards(this.table.columns[at]);
      this.sorted = { at, downwards };
      this.draw();
    });
    cell.append(button);
    return cell;
  }

  /** The rows that are left, in order. */
  left() {
    const { columns } = this.table;
    const scales = scalesOf(columns, this.rows);
    const texts = rowsInWords(columns, this.rows, scales);
    let rows = this.rows.map((row, at) => ({ row, text: texts[at] }));
    if (this.filter) rows = rows.filter(({ text }) => matches(text, this.filter));
    const sorted = this.sorted;
    if (sorted) {
      const { at, downwards } = sorted;
      rows.sort((a, b) => compare(columns[at], a.row[at], b.row[at], downwards));
    }
    return { rows, scales };
  }

  /** The decimals of each column's figure that has most. */
  decimals(/** @type {{ text: string[] }[]} */ rows) {
    return this.table.columns.map((_, at) => rows.reduce((most, { text }) => Math.max(most, decimalsOf(text[at])), 0));
  }

  draw() {
    const { columns, whole } = this.table;
    const { rows, scales } = this.left();
    columns.forEach((column, at) => {
      const cell = this.head.children[at];
      (cell.firstElementChild ?? cell).textContent = heading(column, scales);
      const direction = this.sorted?.at === at ? (this.sorted.downwards ? "descending" : "ascending") : null;
      if (direction) cell.setAttribute("aria-sort", direction);
      else cell.removeAttribute("aria-sort");
    });
    const shown = this.all || whole ? rows : rows.slice(0, SHOWN);
    const decimals = this.decimals(rows);
    this.body.replaceChildren(...shown.map(({ row, text }) => this.line(row, text, decimals)));
    if (rows.length === 0) this.body.append(this.nothing());
    this.button.hidden = whole || rows.length <= SHOWN;
    this.button.textContent = this.all ? `Show ${SHOWN} rows` : `Show all ${count(rows.length)} rows`;
    this.button.setAttribute("aria-expanded", String(this.all));
    this.button.dataset.printed = this.all ? "" : `${shown.length} of ${count(rows.length)} rows`;
    this.count.textContent = this.filter ? `${count(rows.length)} of ${count(this.rows.length)} rows` : "";
  }

  line(/** @type {Cell[]} */ row, /** @type {string[]} */ text, /** @type {number[]} */ decimals) {
    const line = make("tr");
    this.table.columns.forEach((column, at) => {
      const cell = make("td", text[at], { class: column.unit === "text" ? "name" : "figure" });
      const value = row[at];
      const behind = MEASURED.includes(column.unit) && value ? decimals[at] - decimalsOf(text[at]) : 0;
      if (behind > 0) cell.style.paddingRight = `calc(0.6rem + ${behind}ch)`;
      if (column.unit === "text" && Array.isArray(value)) cell.style.paddingInlineStart = `${0.6 + 1.2 * value[0]}rem`;
      if (column.unit === "percent" && typeof value === "number") {
        cell.classList.add("share");
        cell.style.setProperty("--share", `${Math.max(0, Math.min(100, value))}%`);
      }
      if (column.unit === "text") this.addLines(cell, text[at]);
      line.append(cell);
    });
    if (this.link?.leads(row)) {
      const button = make("button", text[0], { type: "button", class: "lead", title: "Show the longest in the timeline" });
      button.addEventListener("click", () => this.link?.go(row));
      line.firstElementChild?.replaceChildren(button);
    }
    return line;
  }

  /** Adds the source lines of a cell's places. */
  addLines(/** @type {HTMLElement} */ cell, /** @type {string} */ text) {
    const lines = linesIn(text);
    if (this.hasLines) cell.append(...lines.map(([, line]) => make("code", line, { class: "source" })));
    else if (lines.length > 0) cell.title = lines.map(([place, line]) => `${place}  ${line}`).join("\n");
  }

  nothing() {
    const line = make("tr");
    const text = this.filter ? "No row has all these words." : this.rows === this.table.rows ? "Nothing of this kind is in the run." : "Nothing of this kind is in this part of the run.";
    line.append(make("td", text, { colspan: String(this.table.columns.length), class: "none" }));
    return line;
  }
}
