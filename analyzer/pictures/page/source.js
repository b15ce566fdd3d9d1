// @ts-check
/**
 * The program's lines, by the places that tables and the timeline name: `halo.c:112`.
 */

/** @type {Record<string, string>} */
export const sources = JSON.parse(document.getElementById("sources")?.textContent ?? "{}");

/** The lines of the places in a text, each place and line once. @returns {[string, string][]} */
export function linesIn(/** @type {string} */ text) {
  const places = new Set([...text.matchAll(/[^\s()]+:\d+/g)].map(([place]) => place));
  return [...places].filter((place) => Object.hasOwn(sources, place)).map((place) => [place, sources[place]]);
}
