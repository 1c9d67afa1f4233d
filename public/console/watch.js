// Follows a crawl by its server-sent events. Without events it polls every few seconds.

import { refresh } from "./live.js";

const POLL_MS = 3000;
/** A proxy may hold events back, and a crawl that waits for its host sends none for a while. */
const SILENCE_MS = 10_000;
const LOOK_MS = 250;
/** @type {Record<string, string>} */
const STATES = {
  running: "The crawl is running.",
  paused: "The crawl is paused.",
  watching: "The crawl is a watch now: it visits its pages again.",
  completed: "The crawl has completed.",
  cancelled_by_user: "The crawl was cancelled.",
  cancelled_due_to_timeout: "The crawl was cancelled: it reached its time limit.",
  cancelled_due_to_limits: "The crawl was cancelled: it reached a limit.",
  errored: "The crawl ended without storing a page.",
};

const shownStatus = () => document.getElementById("live")?.getAttribute("data-status");
const address = document.getElementById("live")?.getAttribute("data-watch");
let announced = shownStatus();
/** Whether the page misses a change, and whether that change is more than numbers. */
let behind = false;
let urgent = false;
let over = !address;
let heardAt = performance.now();

if (address) {
  listen(address);
  catchUp();
}

/** @param {string} address */
function listen(address) {
  if (over) return;
  const events = new EventSource(address);
  events.addEventListener("crawl", (event) => {
    heardAt = performance.now();
    behind = true;
    urgent ||= JSON.parse(event.data).status !== shownStatus();
  });
  events.addEventListener("end", () => {
    events.close();
    behind = true;
    urgent = true;
    over = true;
  });
  events.addEventListener("error", () => {
    // Events are lost until the connection is back, so every attempt updates the page.
    behind = true;
    if (over) events.close();
    // The browser reconnects by itself unless the server refused.
    if (events.readyState === EventSource.CLOSED && !over) setTimeout(() => listen(address), POLL_MS);
  });
}

/** Updates the page until it shows every change. */
async function catchUp() {
  if (!over && performance.now() - heardAt > SILENCE_MS) {
    heardAt = performance.now();
    behind = true;
  }
  if (behind) {
    const wanted = urgent;
    behind = false;
    urgent = false;
    const done = await refresh(wanted);
    if (done) announce();
    behind ||= !done;
    // A failed update is not repeated at once.
    urgent ||= wanted && done === null;
    // The crawl ended without an event.
    over ||= !document.getElementById("live")?.hasAttribute("data-watch");
  }
  if (!over || behind) setTimeout(catchUp, LOOK_MS);
}

/** Screen readers announce states, not numbers, which change too often. */
function announce() {
  const status = shownStatus();
  const announcement = document.getElementById("announcement");
  if (!status || status === announced || announcement === null) return;
  announced = status;
  announcement.textContent = STATES[status] ?? status;
}
