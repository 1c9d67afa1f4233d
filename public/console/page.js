// Runs on every page: shows times in the reader's time zone.

// Sweden writes times as the command line does: 2026-11-21 09:30:00.
const full = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "long" });
const day = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "short" });
const hour = new Intl.DateTimeFormat("sv", { timeStyle: "medium" });

/**
 * Writes each <time> below a node in the reader's time zone: times of today without a date, others with it.
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
  // An option can hold only text.
  for (const option of root.querySelectorAll("option[data-at]")) {
    const { at = "", text = "" } = option instanceof HTMLOptionElement ? option.dataset : {};
    option.textContent = `${text}, ${day.format(new Date(at))}`;
  }
}

// Somebody who is signed in already is led on from the link that signs in, and its fragment with them.
if (location.hash.startsWith("#token=") && location.pathname !== "/sign-in")
  history.replaceState(null, "", location.pathname + location.search);

localizeTimes(document);
// Scroll the tabs so that the current one is visible.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const bar = /** @type {Element} */ (tab.parentElement);
  bar.scrollLeft += Math.max(0, tab.getBoundingClientRect().right - bar.getBoundingClientRect().right);
}
