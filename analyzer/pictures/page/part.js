// @ts-check
/**
 * Tables of a part of the run: rows and figures made as the table and its columns say of what the timeline adds up.
 *
 * In: a table, the timeline's data, and its sums over the part. Out: rows. This module knows no figure: the analyzer declares the
 * rules with its columns, and writes them by `table_json.rs`.
 *
 * @import { Cell, Column, Table } from "#units"
 * @import { Sums } from "#timeline-sums"
 * @typedef {string | number | [string, ...any[]]} Figure
 * @typedef {{ list: string, number: string, field: string | null, isNeeded: boolean }} Name
 * @typedef {{ name?: Name, figure?: Figure, rankWithMost?: Figure, rankWithLeast?: Figure, kept?: true, ofRow?: true }} ColumnRule
 * @typedef {{
 *   rows: string, first: { name: string, addend: string, figure: Figure } | null, fixed: (Figure | null)[] | null,
 *   order: string[], only: string | null, leftOut: string,
 * }} TableRule
 * @typedef {{ at: number, record: any }} Part a record, and the place of its rank
 */
import { beginsDownwards, compare } from "#order";

/** What is done with figures. @type {Record<string, (...of: number[]) => number>} */
const WITH_FIGURES = {
  plus: (...of) => of.reduce((sum, one) => sum + one, 0),
  rest: (a, b) => Math.max(0, a - b),
  lesser: (a, b) => Math.min(a, b),
  times: (a, b) => a * b,
  over: (a, b) => (b > 0 ? a / b : NaN),
  positive: (a) => (a > 0 ? a : NaN),
};

/** What is done with a figure of each rank. @type {Record<string, (a: number, b: number) => number>} */
const OVER_RANKS = { sum: (a, b) => a + b, most: (a, b) => Math.max(a, b), least: (a, b) => Math.min(a, b) };

/** A column's unit for the addends': they are in nanoseconds, and no part of 100. Amounts are whole. @type {Record<string, (number: number) => number>} */
const UNITS = { seconds: (ns) => ns / 1e9, percent: (share) => 100 * share, bytes: Math.floor };

/** Records that make a row. */
class Group {
  constructor(/** @type {any} */ data, /** @type {Sums} */ sums, /** @type {number[]} */ ranks, /** @type {Group | null} */ whole = null) {
    this.data = data;
    this.sums = sums;
    /** The places of the ranks that the row is of. */
    this.ranks = ranks;
    /** @type {Group} */
    this.whole = whole ?? this;
    /** @type {Part[]} */
    this.parts = [];
    /** Addends by rank, those that were asked for. @type {Map<string, Map<number, number>>} */
    this.known = new Map();
    /** What takes the place of an addend. @type {TableRule["first"]} */
    this.instead = null;
  }

  /** Sums of an addend by rank, where one is given of functions with this attribute. */
  byRank(/** @type {string} */ addend, attribute = "", value = "") {
    const key = `${addend} ${attribute} ${value}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { functions, layouts } = this.data;
    const join = layouts.most.includes(addend) ? OVER_RANKS.most : OVER_RANKS.sum;
    /** @type {Map<number, number>} */
    const sums = new Map();
    for (const { at, record } of this.parts) {
      if (!(addend in record) || (attribute && String(functions[record.fn][attribute]) !== value)) continue;
      sums.set(at, join(sums.get(at) ?? 0, record[addend]));
    }
    this.known.set(key, sums);
    return sums;
  }

  /** An addend of a rank. @returns {number} */
  ofRank(/** @type {number} */ at, /** @type {string} */ addend, attribute = "", value = "") {
    const { instead } = this;
    if (instead?.addend === addend) return figure(instead.figure, this.whole, at);
    return this.sums.rows[at].there[addend] ?? this.byRank(addend, attribute, value).get(at) ?? 0;
  }

  /** An addend of all ranks. */
  ofAll(/** @type {string} */ addend, attribute = "", value = "") {
    const sums = this.byRank(addend, attribute, value);
    const isOfRecords = this.instead?.addend !== addend && this.data.layouts.addends.includes(addend);
    const values = isOfRecords ? [...sums.values()] : this.ranks.map((at) => this.ofRank(at, addend, attribute, value));
    return values.reduce(OVER_RANKS.sum, 0);
  }
}

/** A figure of a group; with `at`, of one of its ranks. @returns {number} */
function figure(/** @type {Figure} */ rule, /** @type {Group} */ group, /** @type {number | undefined} */ at = undefined) {
  if (typeof rule === "number") return rule;
  const [what, ...of] = typeof rule === "string" ? ["where", rule] : rule;
  if (what === "where") {
    const [addend, attribute, value] = of;
    return at === undefined ? group.ofAll(addend, attribute, value) : group.ofRank(at, addend, attribute, value);
  }
  if (what === "whole") return figure(of[0], group.whole, at);
  if (what in OVER_RANKS) return group.ranks.map((at) => figure(of[0], group, at)).reduce(OVER_RANKS[what]);
  return WITH_FIGURES[what](...of.map((one) => figure(one, group, at)));
}

/** The rank with the most of a figure, or the least. @returns {Cell} */
function rankWith(/** @type {Figure} */ rule, /** @type {Group} */ group, /** @type {1 | -1} */ sign) {
  const figures = group.ranks.map((at) => sign * figure(rule, group, at));
  const best = figures.reduce((best, one, at) => (one > figures[best] ? at : best), 0);
  return group.data.names[group.sums.rows[group.ranks[best]].rank].rank;
}

/** What a record's number leads to. @returns {Cell} */
function nameOf(/** @type {Name} */ { list, number, field }, /** @type {any} */ data, /** @type {any} */ record) {
  const entry = data[list][record[number]];
  return (field === null ? entry : entry?.[field]) ?? null;
}

/** All records of a kind. @returns {Part[]} */
function partsOf(/** @type {string} */ kind, /** @type {any} */ data, /** @type {Sums} */ { rows, pairs }) {
  if (kind === "messages") {
    const rank = (/** @type {number} */ row) => data.ranks[row].name;
    return pairs.map((pair) => ({ at: 0, record: { ...pair, from: rank(pair.from), to: rank(pair.to) } }));
  }
  return rows.flatMap(({ rank, calls, waits, samples }, at) => {
    const records = [...(kind === "waits" ? [] : calls), ...(kind === "calls" ? [] : waits), ...(kind === "paths" ? samples : [])];
    return records.map((record) => ({ at, record: { ...record, rank } }));
  });
}

/** A group for each path: records of calls and samples that it leads to. @returns {[Group, Cell[]][]} */
function groupsOfPaths(/** @type {Cell[][]} */ rows, /** @type {any} */ data, /** @type {Group} */ whole) {
  /** @type {Map<Cell, [Group, Cell[]]>} */
  const groups = new Map(rows.map((row) => [row[0], [new Group(data, whole.sums, whole.ranks, whole), row]]));
  for (const part of whole.parts) {
    const { site, fn, path: sampled } = part.record;
    for (let path = sampled ?? data.paths[site]?.[fn] ?? null; path !== null; path = data.callers[path]) groups.get(path)?.[0].parts.push(part);
  }
  return [...groups.values()];
}

/** Groups that are rows, with their names by column. @returns {[Group, Cell[]][]} */
function groupsOf(/** @type {Table} */ { columns, part, rows }, /** @type {any} */ data, /** @type {Sums} */ sums) {
  const { rows: kind, first } = /** @type {TableRule} */ (part);
  const ranks = sums.rows.map((_, at) => at);
  const whole = new Group(data, sums, ranks);
  whole.parts = partsOf(kind, data, sums);
  const names = (/** @type {any} */ record) => columns.map(({ part }) => (part?.name ? nameOf(part.name, data, record) : null));
  if (kind === "fixed") return rows.map((row) => [whole, row]);
  if (kind === "ranks") {
    /** @type {[Group, Cell[]][]} */
    const groups = sums.rows.map(({ rank }, at) => [new Group(data, sums, [at], whole), names({ rank })]);
    for (const part of whole.parts) groups[part.at][0].parts.push(part);
    return groups;
  }
  if (kind === "paths") return groupsOfPaths(rows, data, whole);
  /** @type {Map<string, [Group, Cell[]]>} */
  const groups = new Map();
  for (const part of whole.parts) {
    const cells = names(part.record);
    if (columns.some((column, at) => column.part?.name?.isNeeded && cells[at] === null)) continue;
    const key = JSON.stringify(cells);
    const known = groups.get(key) ?? [new Group(data, sums, ranks, whole), cells];
    groups.set(key, known);
    known[0].parts.push(part);
  }
  if (first === null) return [...groups.values()];
  const before = new Group(data, sums, ranks, whole);
  before.instead = first;
  return [[before, columns.map(({ part }) => (part?.name ? first.name : null))], ...groups.values()];
}

/** The rows of a table for a part of the run: null where the table is always of the whole run. @returns {Cell[][] | null} */
export function rowsOfPart(/** @type {Table} */ table, /** @type {any} */ data, /** @type {Sums} */ sums) {
  const { columns, part } = table;
  if (part === null) return null;
  const whole = new Map(table.rows.map((row) => [String(row[0]), row]));
  const content = (/** @type {Column} */ { part: rule, unit }, /** @type {Group} */ group, /** @type {Cell[]} */ names, /** @type {number} */ row, /** @type {number} */ at) => {
    if (!rule) return null;
    if (rule.name) return names[at];
    if (rule.kept) return whole.get(String(names[0]))?.[at] ?? null;
    if (rule.rankWithMost) return rankWith(rule.rankWithMost, group, 1);
    if (rule.rankWithLeast) return rankWith(rule.rankWithLeast, group, -1);
    const of = rule.ofRow ? part.fixed?.[row] : rule.figure;
    const number = of === null || of === undefined ? NaN : figure(of, group);
    return Number.isNaN(number) ? null : (UNITS[unit]?.(number) ?? number);
  };
  let rows = groupsOf(table, data, sums).map(([group, names], row) => columns.map((column, at) => content(column, group, names, row, at)));
  const place = (/** @type {string} */ key) => columns.findIndex((column) => column.key === key);
  if (part.only !== null) rows = rows.filter((row) => Number(row[place(String(part.only))]) > 0);
  const before = part.first === null ? [] : rows.splice(0, 1);
  for (const key of [...part.order].reverse()) {
    const at = place(key.replace(/^-/, ""));
    const isDownwards = beginsDownwards(columns[at]) !== key.startsWith("-");
    rows.sort((a, b) => compare(columns[at], a[at], b[at], isDownwards));
  }
  return [...before, ...rows];
}
