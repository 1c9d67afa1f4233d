// Reads on in a list: what the "Load more" link leads to is put below what is there, also before one comes to its end.

import { localizeTimes } from "./page.js";

/** So far below what is seen it is fetched. */
const AHEAD = "800px";

const parts = document.getElementById("parts");
const said = document.getElementById("said");
let loading = false;

const watcher = new IntersectionObserver(
  (entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) void more();
  },
  { rootMargin: AHEAD },
);

function link() {
  return document.querySelector("a[data-more]");
}

async function more() {
  const next = link();
  if (loading || !(next instanceof HTMLAnchorElement) || parts === null) return;
  loading = true;
  let came = false;
  next.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(next.href, { headers: { accept: "text/html" } });
    if (!response.ok || response.redirected) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const part = page.querySelector(".part");
    if (part !== null) {
      localizeTimes(part);
      parts.append(part);
      if (said !== null) said.textContent = `${part.querySelectorAll("tbody tr").length} more records`;
    }
    came = true;
    const after = page.querySelector("a[data-more]");
    if (after === null) next.closest("p")?.remove();
    else next.setAttribute("href", after.getAttribute("href") ?? "");
  } catch {
    // No connection: the link is still there to be used.
  } finally {
    loading = false;
    link()?.removeAttribute("aria-busy");
    // Looked at anew: a short part may leave the link in view. What failed waits for a hand.
    const left = link();
    if (left !== null && came) {
      watcher.unobserve(left);
      watcher.observe(left);
    }
  }
}

link()?.addEventListener("click", (event) => {
  event.preventDefault();
  void more();
});
const first = link();
if (first !== null) watcher.observe(first);
