// @ts-check
/**
 * Light, dark, or as the reader's system is: a button goes through the three.
 */

const THEMES = ["auto", "light", "dark"];

/** Makes the button work. */
export function theme(/** @type {HTMLElement} */ button) {
  let at = 0;
  button.addEventListener("click", () => {
    at = (at + 1) % THEMES.length;
    document.documentElement.dataset.theme = THEMES[at];
    button.textContent = `Theme: ${THEMES[at]}`;
  });
}
