// @ts-check
// The legend: a click on a class takes its color away, or gives it back; so for messages. In: the data of
// the timelines that it is for, and the scene. Out: an element.

/** @param {any[]} all @param {import("#timeline-scene").Scene} scene @param {() => void} changed */
export function legend(all, scene, changed) {
  const list = document.createElement("p");
  list.className = "timeline-legend";
  /** @param {string} color @param {string} name @param {(isShown: boolean) => void} choose
   * @param {boolean} [isLine] */
  const entry = (color, name, choose, isLine) => {
    const [button, box] = [document.createElement("button"), document.createElement("span")];
    [button.className, box.className, button.type] = ["timeline-entry", `timeline-box${isLine ? " timeline-line" : ""}`, "button"];
    box.style.setProperty("--color", `var(--${color})`);
    button.setAttribute("aria-pressed", "true");
    button.append(box, name);
    button.addEventListener("click", () => {
      const isShown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(isShown));
      choose(isShown);
      changed();
    });
    list.append(button);
  };
  all[0].classes.forEach((/** @type {string} */ name, /** @type {number} */ at) => {
    const isCalled = all.some(({ functions }) => functions.some((/** @type {any} */ fn) => fn.class === at));
    const isOpen = at === all[0].classes.length - 1 && all.some(({ ranks }) => ranks.some((/** @type {any} */ rank) => rank.open.length > 0));
    if (at > 0 && !isCalled && !isOpen) return;
    entry(`class-${at}`, name, (isShown) => (isShown ? scene.weak.delete(at) : scene.weak.add(at)));
  });
  if (all.some(({ waits }) => waits.length > 0)) entry("ink", "waiting, below its row", (isShown) => (scene.showsWaits = isShown));
  entry("ink", "messages", (isShown) => (scene.showsMessages = isShown), true);
  return list;
}
