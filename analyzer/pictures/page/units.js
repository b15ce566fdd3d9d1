// @ts-check
/**
 * Cells and headings of tables in words, as the command's text has them: all times of a table in one unit, bytes in the binary unit that
 * suits each.
 *
 * @import { ColumnRule, TableRule } from "#part"
 * @import { Scale } from "#timeline-format"
 * @typedef {{ key: string, heading: string, unit: string, each: boolean, meaning: string | null, part: ColumnRule | null }} Column
 * @typedef {number | string | null | [any, any]} Cell
 * @typedef {{ name: string, title: string, whole: boolean, columns: Column[], rows: Cell[][], more: number, part: TableRule | null }} Table
 */
import { bytes, count, knownTo, scaleOf, significant, time } from "#timeline-format";

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

/** A cell in words; a time whose error is known has the digits that this allows. */
export function words(
  /** @type {Column} */ column,
  /** @type {Cell} */ cell,
  /** @type {{ all: Scale, each: Scale }} */ scales,
  /** @type {number | null} */ error = null,
) {
  const [unit, value] = figure(column, cell);
  if (value === null || value === undefined) return "–";
  if (unit === "rank") return Array.isArray(value) ? `${value[0] ?? "–"} of world ${value[1]}` : String(value);
  if (unit === "text") return Array.isArray(value) ? value[1] : value;
  if (unit === "seconds") {
    const scale = column.each ? scales.each : scales.all;
    return time(value, error ? knownTo(scale, error) : scale) + byRow(column, scales.all.unit);
  }
  if (unit === "percent") return significant(value, 5, 1) + byRow(column, "%");
  if (unit === "ratio") return value === 0 ? "0" : significant(value, 3, 2);
  if (unit === "bytes") return bytes(value);
  return unit === "count" ? count(value) : String(value);
}

/**
 * The cells of each row in words. The column behind a time has its error if its heading begins with ±; a figure beside them that has none
 * is as exact.
 */
export function rowsInWords(
  /** @type {Column[]} */ columns,
  /** @type {Cell[][]} */ rows,
  /** @type {{ all: Scale, each: Scale }} */ scales,
) {
  const isError = (/** @type {number} */ at) => columns[at]?.heading.startsWith("±");
  const errors = columns.map((_, column) => {
    const at = isError(column) ? column : column + 1;
    const own = isError(at) ? rows.map((row) => Number(row[at])) : [];
    const least = own.filter((error) => error > 0).reduce((least, error) => Math.min(least, error), Infinity);
    return own.map((error) => (error > 0 ? error : least === Infinity ? null : least));
  });
  return rows.map((row, place) => row.map((cell, at) => words(columns[at], cell, scales, errors[at][place] ?? null)));
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
