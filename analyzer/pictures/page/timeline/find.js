// @ts-check
// Finds calls: the one that began at a time, at a point, before and after another, or by a text. In: the store's chunks. Out: a
// call's row and begin, or all that is known of it.

import { firstIn } from "#timeline-rows";

/** @typedef {{row: number, start: number}} Which */
/** @typedef {import("#timeline-store").Store} Store */

/** @param {import("#timeline-decode").Chunk} chunk @param {number} row @param {number} call */
function facts(chunk, row, call) {
  const calls = chunk.rows[row];
  const [start, end] = [calls.start[call], calls.end[call]];
  const messages = chunk.messages.filter((message) => {
    return (message.from === row && message.begin === start) || (message.to === row && message.end === end);
  });
  return { row, start, end, kind: chunk.kinds[calls.kind[call]], extra: calls.extra[call] ?? {}, messages };
}

/** The call of a row that began at a time, where its chunk is there. @param {Store} store @param {Which | null} which */
export function findCall(store, which) {
  if (which === null) return null;
  for (const { name } of store.data.chunks) {
    const chunk = store.parts.get(name);
    if (chunk === undefined) continue;
    const calls = chunk.rows[which.row];
    for (let call = firstIn(calls, which.start); call < calls.start.length && calls.start[call] <= which.start; call++) {
      if (calls.start[call] === which.start) return facts(chunk, which.row, call);
    }
  }
  return null;
}

/** The call at a time of a row: the shortest of those that are there, or the nearest within some nanoseconds.
 * @param {import("#timeline-decode").Chunk[]} chunks @param {number} row @param {number} time @param {number} near
 * @returns {Which | null} */
export function callAt(chunks, row, time, near) {
  let best = null;
  let least = Infinity;
  for (const { rows } of chunks) {
    const calls = rows[row];
    for (let call = firstIn(calls, time - near); call < calls.start.length && calls.start[call] <= time + near; call++) {
      if (calls.end[call] < time - near) continue;
      const off = Math.max(calls.start[call] - time, time - calls.end[call], 0);
      const weight = off > 0 ? 1e18 + off : calls.end[call] - calls.start[call];
      if (weight < least) [best, least] = [{ row, start: calls.start[call] }, weight];
    }
  }
  return best;
}

/** The call of a row that a wait is blamed on: the last of its call site that began before the wait ended.
 * @param {Store} store @param {number} row @param {{until: number, place: number}} wait @returns {Promise<Which | null>} */
export async function causeOf(store, row, wait) {
  const { site } = store.data.places[wait.place];
  const parts = store.data.chunks.filter((/** @type {any} */ part) => part.from <= wait.until).reverse().slice(0, 4);
  for (const part of parts) {
    const chunk = await loaded(store, part);
    if (chunk === undefined) continue;
    const calls = chunk.rows[row];
    for (let call = calls.start.length - 1; call >= calls.carried; call--) {
      if (calls.start[call] <= wait.until && store.data.sites[chunk.kinds[calls.kind[call]].site] === site) return { row, start: calls.start[call] };
    }
  }
  return null;
}

/** The next call of a row after a time, or the one before it. @param {import("#timeline-decode").Chunk[]} chunks
 * @param {number} row @param {number} time @param {boolean} isBack @returns {Which | null} */
export function beside(chunks, row, time, isBack) {
  let best = isBack ? -Infinity : Infinity;
  for (const { rows } of chunks) {
    for (const start of rows[row].start) {
      if (isBack ? start < time && start > best : start > time && start < best) best = start;
    }
  }
  return Number.isFinite(best) ? { row, start: best } : null;
}

/** A test for calls: their function, call site or communicator has a text in its name, in capitals or small letters.
 * @param {Store} store @param {string} text @returns {(kind: import("#timeline-decode").Kind) => boolean} */
export function matcher(store, text) {
  const has = (/** @type {string} */ name) => name.toLowerCase().includes(text.toLowerCase());
  const functions = store.data.functions.map((/** @type {any} */ one) => has(one.name));
  const sites = store.data.sites.map(has);
  const objects = store.data.objects.map(has);
  return (kind) => functions[kind.fn] || sites[kind.site] || objects[kind.object];
}

/** The first call behind a time that matches, in any of some rows. Loads one chunk after the other.
 * @param {Store} store @param {(kind: import("#timeline-decode").Kind) => boolean} matches @param {number} after
 * @param {number[]} rows @returns {Promise<Which | null>} */
export async function search(store, matches, after, rows) {
  for (const part of store.data.chunks.filter((/** @type {any} */ part) => part.to > after)) {
    const chunk = await loaded(store, part);
    if (chunk === undefined || !chunk.kinds.some(matches)) continue;
    let best = null;
    for (const row of rows) {
      const calls = chunk.rows[row];
      for (let call = calls.carried; call < calls.start.length; call++) {
        const start = calls.start[call];
        if (start <= after || (best !== null && start >= best.start)) continue;
        if (matches(chunk.kinds[calls.kind[call]])) best = { row, start };
      }
    }
    if (best !== null) return best;
  }
  return null;
}

/** A chunk when it has come; nothing where it does not. @param {Store} store @param {any} part
 * @returns {Promise<import("#timeline-decode").Chunk | undefined>} */
export function loaded(store, part) {
  return store.there(part.name, () => store.chunk(part));
}
