// Infinite scrolling: appends the next part of a list when its end comes near, or on a click on "Load more".

import { localizeTimes } from "./page.js";

/** The next part loads when its link is this near to the viewport. */
const MARGIN = "800px";

const parts = document.getElementById("parts");
const announcement = document.getElementById("announcement");
let loading = false;

const watcher = new IntersectionObserver(
  (entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) void loadMore();
  },
  { rootMargin: MARGIN },
);

function findLink() {
  return document.querySelector("a[data-more]");
}

async function loadMore() {
  const next = findLink();
  if (loading || !(next instanceof HTMLAnchorElement) || parts === null) return;
  loading = true;
  let loaded = false;
  next.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(next.href, { headers: { accept: "text/html" } });
    if (!response.ok || response.redirected) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const part = page.querySelector(".part");
    if (part !== null) {
      localizeTimes(part);
      parts.append(part);
      if (announcement !== null)
        announcement.textContent = `${part.querySelectorAll("tbody tr").length} more records loaded`;
    }
    loaded = true;
    const after = page.querySelector("a[data-more]");
    if (after === null) next.closest("p")?.remove();
    else next.setAttribute("href", after.getAttribute("href") ?? "");
  } catch {
    // No connection: the link stays for another try.
  } finally {
    loading = false;
    findLink()?.removeAttribute("aria-busy");
    // Observe again: after a short part the link may still be in view. After a failure it waits for a click.
    const left = findLink();
    if (left !== null && loaded) {
      watcher.unobserve(left);
      watcher.observe(left);
    }
  }
}

findLink()?.addEventListener("click", (event) => {
  event.preventDefault();
  void loadMore();
});
const first = findLink();
if (first !== null) watcher.observe(first);
