// @ts-check
/**
 * What all pictures are made of: elements of SVG, round marks of an axis, a legend, and drawing anew when the page is resized.
 */

const SPACE = "http://www.w3.org/2000/svg";

/** A new element of SVG; a text becomes what is read and shown for it. @returns {SVGElement} */
export function svg(
  /** @type {string} */ name,
  /** @type {Record<string, string | number>} */ attributes = {},
  /** @type {(SVGElement | string)[]} */ ...inside
) {
  const element = document.createElementNS(SPACE, name);
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, String(value)));
  element.append(...inside);
  return element;
}

/** About so many round marks from 0 on, up to the first that is not below the most. */
export function marks(/** @type {number} */ most, count = 5) {
  if (!(most > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most / count));
  const step = [1, 2, 5, 10].map((times) => times * power).find((step) => most / step <= count) ?? most;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, at) => at * step);
}

/** Draws into an element, and again when its width changes or what is returned is called. */
export function draw(/** @type {HTMLElement} */ element, /** @type {(width: number) => Node[]} */ picture) {
  let width = 0;
  const again = () => {
    width = element.clientWidth;
    if (width > 0) element.replaceChildren(...picture(width));
  };
  new ResizeObserver(() => element.clientWidth === width || again()).observe(element);
  again();
  return again;
}

/** The names of colors, each the class of a series; a click leaves one out, or brings it back. */
export function legend(
  /** @type {{ name: string, color: string }[]} */ series,
  /** @type {(at: number, isShown: boolean) => void} */ choose,
) {
  const list = document.createElement("ul");
  list.className = "legend";
  series.forEach(({ name, color }, at) => {
    const [entry, button, swatch] = ["li", "button", "span"].map((element) => document.createElement(element));
    swatch.className = `swatch ${color}`;
    button.setAttribute("aria-pressed", "true");
    button.append(swatch, name);
    button.addEventListener("click", () => {
      const isShown = button.getAttribute("aria-pressed") === "false";
      button.setAttribute("aria-pressed", String(isShown));
      choose(at, isShown);
    });
    entry.append(button);
    list.append(entry);
  });
  return list;
}

/** A vertical axis: lines across the picture with their marks. */
export function grid(
  /** @type {number[]} */ values,
  /** @type {(value: number) => number} */ y,
  /** @type {(value: number) => string} */ text,
  /** @type {{ left: number, right: number }} */ { left, right },
) {
  return values.flatMap((value) => [
    svg("line", { x1: left, x2: right, y1: y(value), y2: y(value), class: "grid" }),
    svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, text(value)),
  ]);
}
