// @ts-check
// Numbers in words. In: nanoseconds, bytes, counts. Out: text with a unit.

const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

/** The unit for times of which the longest is so many nanoseconds.
 * @param {number} longest @returns {[string, number]} */
function unit(longest) {
  for (const [name, size] of UNITS) if (longest >= Number(size)) return [String(name), Number(size)];
  return ["ns", 1];
}

/** A duration, in the unit that suits it. @param {number} ns */
export function duration(ns) {
  const [name, size] = unit(Math.abs(ns));
  return `${(ns / size).toFixed(name === "ns" ? 0 : 3)} ${name}`;
}

/** A time of the run, with as many decimals as tell apart what lies `step` nanoseconds apart.
 * @param {number} ns @param {number} step @param {number} [longest] */
export function moment(ns, step, longest = Math.abs(ns)) {
  const [name, size] = unit(Math.max(longest, 1));
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(Math.max(step, 1) / size) - 1e-9)));
  return `${(ns / size).toFixed(decimals)} ${name}`;
}

/** @param {number} bytes */
export function bytes(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let power = 0;
  while (bytes >= 1024 && power < units.length - 1) {
    bytes /= 1024;
    power += 1;
  }
  return `${power === 0 ? bytes : bytes.toFixed(1)} ${units[power]}`;
}

/** @param {number} number */
export function count(number) {
  return number.toLocaleString("en-US").replaceAll(",", "\u202f");
}
