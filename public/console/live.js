// Updates the parts of a page that are marked data-live with those of the page that the server now renders.

import { morph } from "./morph.js";
import { localizeTimes } from "./page.js";

/** Rendering updates takes at most this share of the server's time; the rest is for the crawl. */
const SHARE = 1 / 40;
/** The server counts a crawl's rows no more often. */
const MIN_REST_MS = 2000;
/** After this time without an answer the page says how old its numbers are. */
const STALE_MS = 5000;

/** @type {Map<string, string>} The last HTML from the server by the id of the part. */
const latest = new Map();
let busy = false;
let restUntil = 0;
let freshAt = Date.now();
let brokenSince = 0;

/** Where the page itself is: the answer to a refused form has the address of the form. */
const address =
  document.querySelector("[data-address]")?.getAttribute("data-address") ?? location.pathname + location.search;

for (const part of document.querySelectorAll("[data-live]")) latest.set(part.id, part.outerHTML);

/**
 * @param {boolean} [atOnce] ignores the rest since the last update
 * @returns {Promise<boolean | null>} whether the update succeeded; null if it is too early for one
 */
export async function refresh(atOnce = false) {
  if (busy || document.hidden || (!atOnce && performance.now() < restUntil)) return null;
  busy = true;
  const begin = performance.now();
  let answered = false;
  try {
    const response = await fetch(address, { headers: { accept: "text/html" } });
    // Signed out or deleted: the full page says so.
    if (response.redirected || response.status === 404) location.assign(address);
    if (!response.ok) return false;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of fresh.querySelectorAll("[data-live]")) update(part);
    document.title = fresh.title;
    answered = true;
    return true;
  } catch {
    // No connection: the next update tries again.
    return false;
  } finally {
    busy = false;
    const took = performance.now() - begin;
    restUntil = performance.now() + Math.max(MIN_REST_MS, took / SHARE);
    showAge(answered);
  }
}

/** @param {Element} part */
function update(part) {
  const old = document.getElementById(part.id);
  const html = part.outerHTML;
  if (old === null || latest.get(part.id) === html) return;
  latest.set(part.id, html);
  localizeTimes(part);
  morph(old, part);
}

/**
 * Says how old the numbers are while the server does not answer.
 * @param {boolean} answered
 */
function showAge(answered) {
  const notice = document.getElementById("stale");
  if (answered) [freshAt, brokenSince] = [Date.now(), 0];
  else brokenSince ||= Date.now();
  if (notice === null) return;
  const isStale = !answered && Date.now() - brokenSince >= STALE_MS;
  notice.hidden = !isStale;
  if (isStale) {
    const at = new Date(freshAt).toLocaleTimeString();
    notice.textContent = `Orbweaver is not responding. These numbers are from ${at}. This page keeps trying.`;
  }
}

/** Updates every `data-every` seconds, if the page asks for it. */
function poll() {
  const every = document.querySelector("[data-live][data-every]")?.getAttribute("data-every");
  if (every) setTimeout(() => refresh().then(poll), Number(every) * 1000);
}

poll();
document.addEventListener("visibilitychange", () => void refresh());
