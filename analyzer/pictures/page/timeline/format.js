// @ts-check
/**
 * Numbers in words, by the rules of the command's text (`number.rs`, `scale.rs` and `value.rs` of `analyzer/tables`): commas part
 * thousands, a figure whose error is unknown has at most five digits, and halves of the last digit go to the even one.
 *
 * @typedef {{ unit: string, perSecond: number, decimals: number, digits: number }} Scale
 */

/** A number with so many decimals. */
export function decimal(/** @type {number} */ number, /** @type {number} */ decimals) {
  const [whole, fraction] = rounded(number, decimals).split(".");
  const parted = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? parted : `${parted}.${fraction}`;
}

/** `toFixed`, which rounds halves up, with halves to the even digit. */
function rounded(/** @type {number} */ number, /** @type {number} */ decimals) {
  const text = number.toFixed(decimals);
  const isHalf = (Math.abs(number) * 2 ** (decimals + 1)) % 2 === 1;
  return isHalf && Number(text.slice(-1)) % 2 === 1 ? (number * (1 - Number.EPSILON)).toFixed(decimals) : text;
}

/** A number with so many significant digits, and at most so many decimals. Digits before the point are never cut. */
export function significant(/** @type {number} */ number, /** @type {number} */ digits, /** @type {number} */ decimals) {
  // Rounding may add a digit before the point: 99.96 with three digits is 100.
  const power = Number(number.toExponential(digits - 1).split("e")[1]);
  return decimal(number, Math.min(decimals, Math.max(0, digits - 1 - power)));
}

/** A whole number. */
export function count(/** @type {number} */ number) {
  return decimal(number, 0);
}

/** The unit for times of which the longest is so many seconds. @returns {Scale} */
export function scaleOf(/** @type {number} */ longest) {
  if (longest >= 1) return { unit: "s", perSecond: 1, decimals: 6, digits: 5 };
  if (longest >= 1e-3) return { unit: "ms", perSecond: 1e3, decimals: 3, digits: 5 };
  return longest > 0 ? { unit: "µs", perSecond: 1e6, decimals: 3, digits: 5 } : { unit: "s", perSecond: 1, decimals: 0, digits: 5 };
}

/** The scale for times that are known to so many seconds: two digits of that are enough. @returns {Scale} */
export function knownTo(/** @type {Scale} */ scale, /** @type {number} */ error) {
  const before = Math.floor(Math.log10(error * scale.perSecond));
  return { ...scale, decimals: Math.min(scale.decimals, Math.max(0, 1 - before)), digits: 17 };
}

/** A time in a scale's unit: 0 is none, and what is too short for the unit is not printed so. */
export function time(/** @type {number} */ seconds, /** @type {Scale} */ scale) {
  if (seconds === 0) return "0";
  const least = 10 ** -scale.decimals;
  const value = seconds * scale.perSecond;
  if (Math.abs(value) < least / 2) return `<${least.toFixed(scale.decimals)}`;
  return significant(value, scale.digits, scale.decimals);
}

/** A time that stands alone, with its unit. */
export function timeAlone(/** @type {number} */ seconds) {
  const scale = scaleOf(Math.abs(seconds));
  return `${time(seconds, { ...scale, decimals: Math.min(3, scale.decimals) })} ${scale.unit}`;
}

/** A time that stands alone, of nanoseconds. */
export function duration(/** @type {number} */ ns) {
  return timeAlone(ns / 1e9);
}

/** The mark of an axis whose marks share a scale. */
export function mark(/** @type {number} */ seconds, /** @type {Scale} */ scale) {
  const text = significant(seconds * scale.perSecond, 3, 9);
  return `${text.includes(".") ? text.replace(/\.?0+$/, "") : text} ${scale.unit}`;
}

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** Bytes, in the binary unit that leaves up to four digits. */
export function bytes(/** @type {number} */ number) {
  const power = Math.min(6, Math.max(0, Math.floor(Math.log2(Math.max(1, number)) / 10)));
  const value = number / 1024 ** power;
  return `${decimal(value, power > 0 && value < 99.95 ? 1 : 0)} ${BINARY[power]}`;
}

/** @type {[string, number][]} */
const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

/** A moment of the run in nanoseconds, with as many decimals as tell apart what lies `step` nanoseconds apart. */
export function moment(/** @type {number} */ ns, /** @type {number} */ step, longest = Math.abs(ns)) {
  const [name, size] = UNITS.find(([, size]) => longest >= size) ?? ["ns", 1];
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(Math.max(step, 1) / size) - 1e-9)));
  return `${decimal(ns / size, decimals)} ${name}`;
}
