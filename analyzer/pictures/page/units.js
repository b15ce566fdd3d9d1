// @ts-check
/**
 * Figures in words, as the command's text has them: all times of a table in one unit, bytes in the binary unit that suits each.
 *
 * @import { ColumnRule, TableRule } from "#part"
 * @typedef {{ key: string, heading: string, unit: string, each: boolean, meaning: string | null, part: ColumnRule | null }} Column
 * @typedef {number | string | null | [any, any]} Cell
 * @typedef {{ unit: string, perSecond: number, decimals: number }} Scale
 * @typedef {{ name: string, title: string, whole: boolean, columns: Column[], rows: Cell[][], more: number, part: TableRule | null }} Table
 */

/** The unit for times of which the longest is so many seconds, with decimals that tell what was measured. @returns {Scale} */
export function scaleOf(/** @type {number} */ longest) {
  if (longest >= 1) {
    const before = Math.floor(Math.log10(longest)) + 1;
    return { unit: "s", perSecond: 1, decimals: Math.max(0, Math.min(6, 8 - before)) };
  }
  if (longest >= 1e-3) return { unit: "ms", perSecond: 1e3, decimals: 3 };
  return { unit: longest > 0 ? "µs" : "s", perSecond: longest > 0 ? 1e6 : 1, decimals: longest > 0 ? 3 : 0 };
}

/** A time in a scale's unit: 0 is none, and what is too short for the unit is not printed so. */
export function time(/** @type {number} */ seconds, /** @type {Scale} */ scale) {
  if (seconds === 0) return "0";
  const least = 10 ** -scale.decimals;
  const value = seconds * scale.perSecond;
  return Math.abs(value) < least / 2 ? `<${least.toFixed(scale.decimals)}` : value.toFixed(scale.decimals);
}

/** A time that stands alone, with its unit. */
export function timeAlone(/** @type {number} */ seconds) {
  const scale = scaleOf(Math.abs(seconds));
  return `${time(seconds, { ...scale, decimals: Math.min(3, scale.decimals) })} ${scale.unit}`;
}

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** Bytes, with the unit. */
export function bytes(/** @type {number} */ number) {
  const power = Math.min(6, Math.max(0, Math.floor(Math.log2(Math.max(1, number)) / 10)));
  const value = number / 1024 ** power;
  return `${power === 0 ? number : value < 99.95 ? value.toFixed(1) : value.toFixed(0)} ${BINARY[power]}`;
}

/** One number divided by another. */
function ratio(/** @type {number} */ number) {
  if (number >= 100 || number === 0) return number.toFixed(0);
  return number.toFixed(Math.max(0, Math.min(2, 2 - Math.floor(Math.log10(Math.abs(number))))));
}

/** The scales of a table: of its times, and of those of single calls. @returns {{ all: Scale, each: Scale }} */
export function scalesOf(/** @type {Column[]} */ columns, /** @type {Cell[][]} */ rows) {
  const longest = { all: 0, each: 0 };
  columns.forEach((column, at) => {
    for (const row of rows) {
      const [unit, value] = figure(column, row[at]);
      const kind = column.each ? "each" : "all";
      if (unit === "seconds" && typeof value === "number") longest[kind] = Math.max(longest[kind], Math.abs(value));
    }
  });
  return { all: scaleOf(longest.all), each: scaleOf(longest.each) };
}

/** A cell's unit and value: some columns have a unit in each row. @returns {[string, any]} */
export function figure(/** @type {Column} */ column, /** @type {Cell} */ cell) {
  return column.unit === "by row" && Array.isArray(cell) ? [cell[0], cell[1]] : [column.unit, cell];
}

/** A cell in words. */
export function words(
  /** @type {Column} */ column,
  /** @type {Cell} */ cell,
  /** @type {{ all: Scale, each: Scale }} */ scales,
) {
  const [unit, value] = figure(column, cell);
  if (value === null || value === undefined) return "–";
  if (unit === "rank") return Array.isArray(value) ? `${value[0] ?? "–"} of world ${value[1]}` : String(value);
  if (unit === "text") return Array.isArray(value) ? value[1] : value;
  if (unit === "seconds") return time(value, column.each ? scales.each : scales.all) + byRow(column, scales.all.unit);
  if (unit === "percent") return value.toFixed(1) + byRow(column, "%");
  if (unit === "bytes") return bytes(value);
  return unit === "ratio" ? ratio(value) : String(value);
}

/** A unit behind the figure, where a column has figures of several. */
function byRow(/** @type {Column} */ column, /** @type {string} */ unit) {
  return column.unit === "by row" ? ` ${unit}` : "";
}

/** A column's heading with its unit. */
export function heading(/** @type {Column} */ column, /** @type {{ all: Scale, each: Scale }} */ scales) {
  if (column.heading.includes("{unit}")) return column.heading.replace("{unit}", scales.all.unit);
  return column.unit === "seconds" ? `${column.heading} ${(column.each ? scales.each : scales.all).unit}` : column.heading;
}
