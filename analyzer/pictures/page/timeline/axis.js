// @ts-check
// The times below the rows. In: an interval and a width. Out: marks at round times, with as many labels as fit.

import { moment } from "#timeline-format";

/** @param {number} from @param {number} to @param {number} width pixels
 * @returns {{at: number, label: string}[]} */
export function marks(from, to, width) {
  const most = Math.max(2, Math.floor(width / 110));
  const least = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least) ?? least);
  const marks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    marks.push({ at, label: moment(at, step, Math.max(Math.abs(from), Math.abs(to))) });
  }
  return marks;
}
