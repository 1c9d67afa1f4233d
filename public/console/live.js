// Brings the parts of a page up to date that say so (data-live), by taking them out of the same page as the server now makes it.

import { morph } from "./morph.js";
import { localizeTimes } from "./page.js";

/** Making a page for its numbers takes at most this part of the time: a crawl has better things to do. */
const SHARE = 1 / 40;
/** The server counts a crawl's rows no more often. */
const LEAST_MS = 2000;
/** After so long without an answer it is said how old the numbers are. */
const STALE_MS = 5000;

/** @type {Map<string, string>} What the server said last, by the id of the part. */
const known = new Map();
let busy = false;
let restUntil = 0;
let freshAt = Date.now();
let brokenSince = 0;

for (const part of document.querySelectorAll("[data-live]")) known.set(part.id, part.outerHTML);

/**
 * @param {boolean} [atOnce] for what people wait for
 * @returns {Promise<boolean | null>} whether the page could be brought up to date; null where that was not tried, so soon after the last time
 */
export async function refresh(atOnce = false) {
  if (busy || document.hidden || (!atOnce && performance.now() < restUntil)) return null;
  busy = true;
  const begin = performance.now();
  let answered = false;
  try {
    const response = await fetch(location.href, { headers: { accept: "text/html" } });
    // Signed out, or deleted: the page that says so.
    if (response.redirected || response.status === 404) location.reload();
    if (!response.ok) return false;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of fresh.querySelectorAll("[data-live]")) show(part);
    document.title = fresh.title;
    answered = true;
    return true;
  } catch {
    // No connection: the next try will show.
    return false;
  } finally {
    busy = false;
    const took = performance.now() - begin;
    restUntil = performance.now() + Math.max(LEAST_MS, took / SHARE);
    tellAge(answered);
  }
}

/** @param {Element} part */
function show(part) {
  const old = document.getElementById(part.id);
  const html = part.outerHTML;
  if (old === null || known.get(part.id) === html) return;
  known.set(part.id, html);
  localizeTimes(part);
  morph(old, part);
}

/**
 * Numbers that are old say so, until there are new ones.
 * @param {boolean} answered
 */
function tellAge(answered) {
  const place = document.getElementById("stale");
  if (answered) [freshAt, brokenSince] = [Date.now(), 0];
  else brokenSince ||= Date.now();
  if (place === null) return;
  const isStale = !answered && Date.now() - brokenSince >= STALE_MS;
  place.hidden = !isStale;
  if (isStale) {
    const at = new Date(freshAt).toLocaleTimeString();
    place.textContent = `Orbweaver does not answer: these numbers are those of ${at}. This page goes on trying.`;
  }
}

/** Every so many seconds, where the page asks for it. */
function poll() {
  const every = document.querySelector("[data-live][data-every]")?.getAttribute("data-every");
  if (every) setTimeout(() => refresh().then(poll), Number(every) * 1000);
}

poll();
document.addEventListener("visibilitychange", () => void refresh());
