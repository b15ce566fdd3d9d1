// @ts-check
// Mouse and keys. In: events of the canvas. Out: moves of the view, and the actions that the timeline offers.

/** Keys and what they do, as the help lists them. @type {[string, string][]} */
export const KEYS = [
  ["w s", "zoom in, out"],
  ["a d ← →", "move in time"],
  ["↑ ↓", "move between rows; with a call selected, to the next row's call"],
  ["Shift w s", "fewer rows, more"],
  [", .", "the call before, the next one"],
  ["[ ]", "the next longer wait, the next shorter one"],
  ["f", "zoom to the selected call"],
  ["m", "mark the selected call, or the middle; again removes it"],
  ["/", "search for a function, call site or communicator: others lose their color; Enter goes to the next, Esc ends it"],
  ["0", "the whole run"],
  ["Esc", "select nothing"],
  ["?", "these keys"],
  ["drag", "move; over the times below the rows: zoom to what is chosen"],
  ["wheel", "scroll the page; with Alt: zoom; with Ctrl: fewer rows, more; with Shift: move in time"],
];

/** @param {HTMLCanvasElement} canvas @param {import("#timeline-scene").Scene} scene @param {import("#timeline-view").View} view
 * @param {Record<string, (...how: any[]) => void>} actions */
export function listen(canvas, scene, view, actions) {
  /** @type {{x: number, y: number, time: number, from: number, to: number, top: number, isMap: boolean, isAxis: boolean, moved: boolean} | null} */
  let held = null;
  canvas.addEventListener("wheel", (event) => {
    // The wheel alone is the page's, wherever the pointer is.
    if (!event.ctrlKey && !event.altKey && !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
    event.preventDefault();
    const at = scene.at(event.offsetX, event.offsetY);
    const turn = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300)));
    if (event.ctrlKey) view.zoomRows(turn, at.row < 0 ? undefined : at.row + 0.5);
    else if (event.altKey) view.zoom(turn, at.isMap ? at.mapTime : at.time);
    else view.pan((event.deltaX || event.deltaY) / canvas.clientWidth);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    const { isMap, isAxis, time, mapTime } = scene.at(event.offsetX, event.offsetY);
    held = { x: event.offsetX, y: event.offsetY, time, from: view.from, to: view.to, top: view.top, isMap, isAxis, moved: false };
    actions.hover(null);
    if (isMap) centre(mapTime);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held === null) return actions.hover(scene.at(event.offsetX, event.offsetY));
    const at = scene.at(event.offsetX, event.offsetY);
    if (held.isMap) return centre(at.mapTime);
    const [x, y] = [event.offsetX - held.x, event.offsetY - held.y];
    held.moved ||= Math.abs(x) + Math.abs(y) > 4;
    if (!held.moved) return undefined;
    if (held.isAxis) {
      scene.chosen = [Math.min(held.time, at.time), Math.max(held.time, at.time)];
      return actions.redraw();
    }
    view.top = Math.min(Math.max(held.top - y / at.size, 0), view.all - view.rows);
    return view.show(held.from - x * at.pixel, held.to - x * at.pixel);
  });
  canvas.addEventListener("pointerup", (event) => {
    const was = held;
    held = null;
    const chosen = scene.chosen;
    scene.chosen = null;
    if (was?.isAxis && chosen !== null) view.show(...chosen);
    else if (was !== null && !was.moved && !was.isMap) actions.click(scene.at(event.offsetX, event.offsetY));
  });
  canvas.addEventListener("pointercancel", () => (held = scene.chosen = null));
  canvas.addEventListener("pointerleave", () => actions.hover(null));
  canvas.addEventListener("dblclick", (event) => {
    if (!scene.at(event.offsetX, event.offsetY).isMap) actions.focus();
  });

  /** @param {number} time */
  function centre(time) {
    const half = (view.to - view.from) / 2;
    view.show(time - half, time + half);
  }

  /** @type {Record<string, () => void>} */
  const keys = {
    w: () => view.zoom(0.6), s: () => view.zoom(1 / 0.6), a: () => view.pan(-0.2), d: () => view.pan(0.2),
    W: () => view.zoomRows(0.6), S: () => view.zoomRows(1 / 0.6),
    ArrowLeft: () => view.pan(-0.2), ArrowRight: () => view.pan(0.2),
    ArrowUp: () => actions.row(-1), ArrowDown: () => actions.row(1),
    ",": () => actions.beside(true), ".": () => actions.beside(false),
    "[": () => actions.wait(-1), "]": () => actions.wait(1),
    f: () => actions.focus(), m: () => actions.mark(), "/": () => actions.search(), "?": () => actions.help(),
    0: () => {
      view.showRows(0, view.all);
      view.show(view.bounds[0], view.bounds[1]);
    },
    Escape: () => view.select(null),
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys[event.key] === undefined) return;
    event.preventDefault();
    keys[event.key]();
  });
}
