// @ts-check
/**
 * Fills the page: tables and pictures into the places that the document leaves for them.
 *
 * In: the tables of all sections, in the script element `tables`, and what the timeline needs in `timeline-data`.
 *
 * @import { Cell, Table } from "#units"
 */
import { choiceOf, partInWords } from "#follow";
import { heat } from "#heat";
import { icicle } from "#icicle";
import { longestOf } from "#longest";
import { rowsOfPart } from "#part";
import { rankBars } from "#rank_bars";
import { sizeBars } from "#size_bars";
import { sources } from "#source";
import { leadFrom, select, show, wait } from "#tables";
import { theme } from "#theme";

/** What draws the picture of a section, and the table it is drawn of. @type {Record<string, [string, Function]>} */
const PICTURES = {
  ranks: ["rank_time", rankBars],
  sizes: ["sizes", sizeBars],
  matrix: ["heat", heat],
  paths: ["frames", icicle],
};
/** Tables that are pictures only: another has the same in words. */
const DRAWN = ["heat", "frames"];

/** Milliseconds that tables are drawn for at once. */
const LONG = 20;

/** The data in a script element. */
function data(/** @type {string} */ id) {
  return JSON.parse(document.getElementById(id)?.textContent ?? "null");
}

/** @type {Record<string, Table[]>} */
const sections = data("tables");
for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".tables"))) {
  const section = element.dataset.section ?? "";
  show(element, section, sections[section].filter((table) => !DRAWN.includes(table.name)));
}
/** What draws a table's picture of other rows. @type {Map<Table, (rows: Cell[][] | null, of: string) => void>} */
const drawn = new Map();
for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".picture"))) {
  const [name, picture] = PICTURES[element.dataset.section ?? ""] ?? [];
  const table = sections[element.dataset.section ?? ""].find((table) => table.name === name);
  const again = table && picture?.(element, table);
  if (table && again) drawn.set(table, again);
  // No picture of nothing: the tables say that there is none.
  if (element.childElementCount === 0) element.remove();
}
for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (document.querySelectorAll("time[data-unix]"))) {
  const date = new Date(1000 * Number(time.dataset.unix));
  time.dateTime = date.toISOString();
  time.textContent = date.toLocaleString("sv");
}
theme(/** @type {HTMLElement} */ (document.getElementById("theme")));

// The timeline is there where the run has single calls: what it shows, tables and pictures are of, as far as they can be.
const timeline = data("timeline-data");
if (timeline) {
  const { mount } = await import("#timeline");
  const place = /** @type {HTMLElement} */ (document.getElementById("timeline-place"));
  /** Tables that show a part of the run. @type {Set<Table>} */
  const parts = new Set();
  let views = 0;
  const mounted = mount(place, { ...timeline, sources }, {
    onSelect: async ({ sums, isAll, words, interval }) => {
      const view = ++views;
      for (const choice of document.querySelectorAll(".choice")) choice.textContent = isAll ? "" : choiceOf(timeline, interval);
      let drawing = performance.now();
      for (const table of Object.values(sections).flat()) {
        // The timeline moves on meanwhile.
        if (performance.now() - drawing > LONG) {
          await new Promise((resolve) => setTimeout(resolve));
          if (view !== views) return;
          drawing = performance.now();
        }
        const others = isAll || sums === null ? null : rowsOfPart(table, timeline, sums);
        const whole = sums === null && !isAll ? `of the whole run: ${words}` : "of the whole run";
        const of = isAll ? "" : others ? partInWords(table, words) : whole;
        select(table, others, of);
        if (others || parts.has(table)) drawn.get(table)?.(others, of);
        if (others) parts.add(table);
        else parts.delete(table);
      }
      document.documentElement.dataset.part = isAll ? "" : words;
    },
    onWait: () => {
      for (const table of Object.values(sections).flat()) wait(table);
    },
  });
  for (const table of sections.waits ?? []) {
    leadFrom(table, (row) => longestOf(table, row, timeline) >= 0, (row) => {
      mounted.toWait(longestOf(table, row, timeline));
      place.scrollIntoView({ block: "nearest" });
    });
  }
}
document.documentElement.dataset.ready = "";
