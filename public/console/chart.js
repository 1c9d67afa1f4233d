// Shows the value of a chart under the pointer, and its time in the reader's time zone.

const hour = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** @type {Element | null} */
let activePlot = null;

document.addEventListener("pointermove", ({ target, clientX }) => {
  const plot = target instanceof Element ? target.closest(".plot[data-values]") : null;
  if (activePlot !== plot)
    for (const part of activePlot?.querySelectorAll("[data-own]") ?? []) part.classList.remove("is-on");
  activePlot = plot;
  if (plot instanceof HTMLElement) showValue(plot, clientX);
});

/**
 * @param {HTMLElement} plot
 * @param {number} clientX
 */
function showValue(plot, clientX) {
  const svg = plot.querySelector("svg");
  const cursor = plot.querySelector(".cursor");
  const label = plot.querySelector(".pointed");
  if (svg === null || cursor === null || label === null) return;
  const values = (plot.dataset.values ?? "").split(" ");
  const { left, width } = svg.getBoundingClientRect();
  const last = values.length - 1;
  const at = Math.min(last, Math.max(0, Math.round(((clientX - left) / width) * last)));
  const from = Date.parse(plot.dataset.from ?? "");
  const time = new Date(from + ((Date.parse(plot.dataset.to ?? "") - from) * at) / Math.max(1, last));
  const clock = time.toDateString() === new Date().toDateString() ? hour : day;
  label.textContent = `${clock.format(time)}: ${values[at]} ${plot.dataset.unit}`;
  const x = String((at / Math.max(1, last)) * svg.viewBox.baseVal.width);
  cursor.setAttribute("x1", x);
  cursor.setAttribute("x2", x);
  for (const part of [cursor, label]) part.classList.add("is-on");
}
