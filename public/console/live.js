// Brings the parts of a page up to date that say so (data-live), by taking them out of the same page as the server now makes it.

import { localizeTimes } from "./page.js";

/** Making a page for its numbers takes at most this part of the time: a crawl has better things to do. */
const SHARE = 1 / 40;
const LEAST_MS = 1000;

/** @type {Map<string, string>} What the server said last, by the id of the part. */
const known = new Map();
let busy = false;
let restUntil = 0;

for (const part of document.querySelectorAll("[data-live]")) known.set(part.id, part.outerHTML);

/**
 * Parts that are the same are left alone, and what has the focus keeps it.
 * @param {boolean} [atOnce] for what people wait for
 * @returns {Promise<boolean>} whether the page was brought up to date; not where that was done just now.
 */
export async function refresh(atOnce = false) {
  if (busy || document.hidden || (!atOnce && performance.now() < restUntil)) return false;
  busy = true;
  const begin = performance.now();
  try {
    const response = await fetch(location.href, { headers: { accept: "text/html" } });
    // Signed out, or deleted: the page that says so.
    if (response.redirected || response.status === 404) location.reload();
    if (!response.ok) return false;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of fresh.querySelectorAll("[data-live]")) replace(part);
    document.title = fresh.title;
    return true;
  } catch {
    // No connection: the next try will show.
    return false;
  } finally {
    busy = false;
    const took = performance.now() - begin;
    restUntil = performance.now() + Math.max(LEAST_MS, took / SHARE);
  }
}

/** @param {Element} part */
function replace(part) {
  const old = document.getElementById(part.id);
  const html = part.outerHTML;
  if (old === null || known.get(part.id) === html) return;
  known.set(part.id, html);
  const focused = old.contains(document.activeElement) ? document.activeElement?.id : "";
  const scrolls = [...old.querySelectorAll(".table")].map((table) => table.scrollLeft);
  localizeTimes(part);
  old.replaceWith(part);
  part.querySelectorAll(".table").forEach((table, i) => {
    table.scrollLeft = scrolls[i] ?? 0;
  });
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/** Every so many seconds, where the page asks for it. */
function poll() {
  const every = document.querySelector("[data-live][data-every]")?.getAttribute("data-every");
  if (every) setTimeout(() => refresh().then(poll), Number(every) * 1000);
}

poll();
document.addEventListener("visibilitychange", () => void refresh());
