// @ts-check
// The facts of one call as a list. In: what find.js knows of it. Out: an element's content, of text alone: names come from strangers.

import { bytes, count, duration, moment } from "#timeline-format";

const NOBODY = -(2 ** 31);

/** @param {number} rank as the program numbers it */
function partner(rank) {
  return rank === -1 ? "any" : rank === -2 ? "null" : rank === -3 ? "root" : String(rank);
}

/** A call's facts as pairs of name and text; a wait for another rank has itself besides.
 * @param {import("#timeline-store").Store} store @param {any} call @returns {[string, string, any?][]} */
export function rows(store, call) {
  const { data } = store;
  const { kind, extra } = call;
  const fn = data.functions[kind.fn];
  /** @type {[string, string | false | undefined, any?][]} */
  const all = [
    ["call", extra.open ? `${fn.name}, open: it has not returned` : fn.name],
    ["at", data.sites[kind.site]],
    ["in", data.around[kind.site] !== "" && data.around[kind.site]],
    ["source", data.sources[data.sites[kind.site]]],
    ["rank", data.ranks[call.row].label],
    ["thread", data.ranks[call.row].threads > 1 && String(extra.thread ?? 0)],
    ["began", moment(call.start, 1)],
    ["took", duration(call.end - call.start)],
    ["calls", extra.calls !== undefined && `${count(extra.calls)} that asked in vain, ${duration(extra.ns)} inside MPI`],
    [fn.peer, kind.peer !== NOBODY && partner(kind.peer)],
    ["tag", kind.tag !== NOBODY && (kind.tag === -1 ? "any" : String(kind.tag))],
    ["source", kind.source !== NOBODY && partner(kind.source)],
    ["got", extra.got !== undefined && `${Number.isNaN(extra.got) ? "?" : bytes(extra.got)} from ${partner(extra.source)}`],
    ["on", kind.object !== undefined && data.objects[kind.object] !== "(none)" && data.objects[kind.object]],
    ["sends", kind.sent > 0 && bytes(kind.sent)],
    ["receives", kind.received > 0 && bytes(kind.received)],
    ["failed", extra.failed === true && "it returned an error"],
    ["engine", extra.entries !== undefined && `${count(extra.entries)} entries, ${count(extra.productive)} productive`],
  ];
  for (const wait of extra.waits ?? []) {
    const cause = Number.isNaN(wait.cause) ? "" : ` for rank ${data.names[wait.cause].label} at ${data.places[wait.place].site}`;
    all.push(["waited", `${duration(wait.until - wait.from)}${cause}: ${data.states[wait.state]}`, Number.isNaN(wait.cause) ? undefined : wait]);
  }
  for (const message of call.messages.slice(0, 8)) {
    const sent = message.from === call.row && message.begin === call.start;
    const other = data.ranks[sent ? message.to : message.from].label;
    const at = sent ? `received by ${other} until ${moment(message.end, 1)}` : `sent by ${other} at ${moment(message.begin, 1)}`;
    all.push(["message", `${bytes(message.bytes)} ${at}`]);
  }
  return /** @type {[string, string, any?][]} */ (all.filter(([, text]) => text !== false && text !== undefined));
}

/** Puts them into a description list; what has a wait is a link to its cause.
 * @param {HTMLElement} list @param {[string, string, any?][]} rows @param {(wait: any) => void} [follow] */
export function show(list, rows, follow = () => {}) {
  const cells = rows.flatMap(([name, text, wait]) => {
    const [term, definition] = [document.createElement("dt"), document.createElement("dd")];
    [term.textContent, definition.textContent] = [name, text];
    if (wait !== undefined) {
      const link = document.createElement("button");
      [link.className, link.textContent, link.title] = ["timeline-link", text, "to the call that came late"];
      link.addEventListener("click", () => follow(wait));
      definition.replaceChildren(link);
    }
    return [term, definition];
  });
  list.replaceChildren(...cells);
}
