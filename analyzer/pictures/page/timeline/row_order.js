// @ts-check
// The order of the rows, which the reader chooses: by rank, or extremes first. In: what the page offers. Out: an element, which tells
// the view.

const LEAST = 3; // Rows from which on an order is offered.

/** A choice of the orders, where there is one. @param {import("#timeline-store").Store} store @param {import("#timeline-view").View} view */
export function rowOrder(store, view) {
  const { orders, ranks } = store.page;
  if (orders.length === 0 || ranks.length < LEAST) return null;
  const [label, select] = [document.createElement("label"), document.createElement("select")];
  label.className = "timeline-order";
  const option = (/** @type {string} */ name, /** @type {string} */ value) => new Option(name, value);
  select.append(option("by rank", ""), ...orders.map((/** @type {any} */ { name }) => option(name, name)));
  select.addEventListener("change", () => {
    const chosen = orders.find((/** @type {any} */ { name }) => name === select.value);
    const { selected } = view;
    if (selected !== null) {
      const row = store.rowAt[selected.row];
      selected.row = chosen?.rows.indexOf(row) ?? row;
    }
    view.order = select.value;
    // Extremes are on top.
    view.showRows(0, view.rows);
  });
  label.append("rows ", select);
  return { label, show: () => (select.value = view.order) };
}
