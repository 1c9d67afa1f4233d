// What every page does where scripts run: times in the reader's own zone.

const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const hour = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/**
 * Writes each <time> in or below a node as the reader's clock has it: today's by the hour, others with their day.
 * @param {ParentNode} root
 */
export function localizeTimes(root) {
  const today = new Date().toDateString();
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.getAttribute("datetime") ?? "");
    if (Number.isNaN(at.getTime())) continue;
    time.textContent = at.toDateString() === today ? hour.format(at) : day.format(at);
    time.setAttribute("title", full.format(at));
  }
  // A choice holds text alone.
  for (const option of root.querySelectorAll("option[data-at]")) {
    const { at = "", text = "" } = option instanceof HTMLOptionElement ? option.dataset : {};
    option.textContent = `${text}, ${day.format(new Date(at))}`;
  }
}

localizeTimes(document);
// Of more tabs than there is room for, the one that is open is seen.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const bar = /** @type {Element} */ (tab.parentElement);
  bar.scrollLeft += Math.max(0, tab.getBoundingClientRect().right - bar.getBoundingClientRect().right);
}
