// @ts-check
/**
 * Fills the page of two runs: tables, and two timelines that show the same time since the begin of each run.
 *
 * In: the tables in the script element `tables`, and what the timelines need in `timeline-data-a` and `timeline-data-b`.
 *
 * @import { Table } from "#units"
 */
import { icicle } from "#icicle";
import { show } from "#tables";
import { theme } from "#theme";
import { mount } from "#timeline";

/** The data in a script element. */
function data(/** @type {string} */ id) {
  return JSON.parse(document.getElementById(id)?.textContent ?? "null");
}

/** @type {Record<string, Table[]>} */
const sections = data("tables");
for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".tables"))) {
  const section = element.dataset.section ?? "";
  show(element, section, sections[section]);
}
for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".picture"))) {
  icicle(element, sections[element.dataset.section ?? ""][0]);
}
theme(/** @type {HTMLElement} */ (document.getElementById("theme")));

const sides = ["a", "b"].map((side) => ({ side, of: data(`timeline-data-${side}`), place: document.getElementById(`timeline-${side}`) }));
const [a, b] = sides;
if (a.of && b.of) {
  /** @typedef {ReturnType<typeof mount>["view"]} View */
  /** @type {View[]} */
  const views = [];
  let isFollowing = false;
  /** Moves the other timeline to the same time since its begin, and to the same rows where there are as many. */
  const follow = (/** @type {View} */ moved) => {
    const other = views.find((view) => view !== moved);
    if (isFollowing || other === undefined) return;
    isFollowing = true;
    const by = other.bounds[0] - moved.bounds[0];
    if (other.all === moved.all) other.showRows(moved.top, moved.rows);
    other.show(moved.from + by, moved.to + by);
    isFollowing = false;
  };
  sides.forEach(({ side, of, place }, at) => {
    const key = `timeline-${side}`;
    const paired = { key, other: sides[1 - at].of, onMove: follow };
    views.push(mount(/** @type {HTMLElement} */ (place), of, { paired }).view);
  });
  lead(/** @type {HTMLElement} */ (a.place), /** @type {HTMLElement} */ (b.place));
} else {
  for (const { side, of, place } of sides) {
    if (of && place) mount(place, of, { paired: { key: `timeline-${side}`, other: of, onMove: () => {} } });
  }
}
document.documentElement.dataset.ready = "";

/** The first timeline's legend and search are those of the second, too. */
function lead(/** @type {HTMLElement} */ first, /** @type {HTMLElement} */ second) {
  document.querySelector(".pair")?.classList.add("led");
  const [entries, others] = [first, second].map((of) => [.../** @type {NodeListOf<HTMLElement>} */ (of.querySelectorAll(".timeline-entry"))]);
  entries.forEach((entry, at) => entry.addEventListener("click", () => others[at].click()));
  const [find, found] = [first, second].map((of) => /** @type {HTMLInputElement} */ (of.querySelector(".timeline-find")));
  const search = () => {
    found.value = find.value;
    found.dispatchEvent(new Event("input"));
  };
  find.addEventListener("input", search);
  // Escape has emptied it by now, without an event of its own.
  find.addEventListener("keydown", (event) => event.key === "Escape" && search());
}
