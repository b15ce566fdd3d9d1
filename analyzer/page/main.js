// @ts-check
/**
 * Fills the page: tables and pictures into the places that the document leaves for them.
 *
 * In: the tables of all sections, in the script element `tables`, and what the timeline needs in `timeline-data`.
 *
 * @import { Table } from "#units"
 */
import * as follow from "#follow";
import { heat } from "#heat";
import { rankBars } from "#rank_bars";
import { sizeBars } from "#size_bars";
import { select, show } from "#tables";
import { theme } from "#theme";

/** What draws the picture of a section, and the table it is drawn of. @type {Record<string, [string, Function]>} */
const PICTURES = {
  ranks: ["rank_time", rankBars],
  sizes: ["sizes", sizeBars],
  matrix: ["heat", heat],
};
/** Tables that are pictures only: another has the same in words. */
const DRAWN = ["heat"];

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
for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".picture"))) {
  const [name, picture] = PICTURES[element.dataset.section ?? ""] ?? [];
  const table = sections[element.dataset.section ?? ""].find((table) => table.name === name);
  if (table && picture) picture(element, table);
  // No picture of nothing: the tables say that there is none.
  if (element.childElementCount === 0) element.remove();
}
for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (document.querySelectorAll("time[data-unix]"))) {
  const date = new Date(1000 * Number(time.dataset.unix));
  time.dateTime = date.toISOString();
  time.textContent = date.toLocaleString("sv");
}
theme(/** @type {HTMLElement} */ (document.getElementById("theme")));

// The timeline is there where the run has single calls. The tables of ranks and of functions are of what it shows.
const timeline = data("timeline-data");
if (timeline) {
  const { mount } = await import("#timeline");
  const place = /** @type {HTMLElement} */ (document.getElementById("timeline-place"));
  /** @type {[Table | undefined, typeof follow.ranks][]} */
  const following = [
    [sections.ranks.find((table) => table.name === "ranks"), follow.ranks],
    [sections.functions.find((table) => table.name === "functions"), follow.functions],
  ];
  const mounted = mount(place, timeline, {
    onSelect: (/** @type {{ from: number, to: number, rows: number[] }} */ { from, to, rows }) => {
      const isAll = from <= timeline.from && to >= timeline.to && rows.length === timeline.ranks.length;
      const sums = isAll ? null : mounted.sums(from, to, rows);
      for (const [table, rowsOf] of following) if (table) select(table, sums && rowsOf(table, sums));
    },
  });
}
document.documentElement.dataset.ready = "";
