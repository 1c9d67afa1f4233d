// Follows a crawl by its server-sent events; where they cannot be had, or nothing comes of them, asks every few seconds.

import { refresh } from "./live.js";

const POLL_MS = 3000;
/** A proxy may take the connection and pass nothing on, and what waits for its host says nothing for a while. */
const SILENCE_MS = 10_000;
const LOOK_MS = 250;
const STATES = {
  running: "The crawl is running.",
  paused: "The crawl is paused.",
  completed: "The crawl has completed.",
  cancelled_by_user: "The crawl was cancelled.",
  cancelled_due_to_timeout: "The crawl was cancelled: its time is over.",
  cancelled_due_to_limits: "The crawl was cancelled: it reached a limit.",
  errored: "The crawl has ended, and kept nothing.",
};

const shown = () => document.getElementById("live")?.getAttribute("data-status");
const address = document.getElementById("live")?.getAttribute("data-watch");
let said = shown();
/** Whether something has changed that the page does not show yet, and whether that is more than numbers. */
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
    urgent ||= JSON.parse(event.data).status !== shown();
  });
  events.addEventListener("end", () => {
    events.close();
    behind = true;
    urgent = true;
    over = true;
  });
  events.addEventListener("error", () => {
    // What happens until it is there again is missed: so it is looked at, at every try.
    behind = true;
    if (over) events.close();
    // The browser connects again by itself, but not where it was refused.
    if (events.readyState === EventSource.CLOSED && !over) setTimeout(() => listen(address), POLL_MS);
  });
}

/** Shows what has changed, until all of it is shown. */
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
    // What failed is not tried again at once.
    urgent ||= wanted && done === null;
    // Ended, and nobody is left to say so.
    over ||= !document.getElementById("live")?.hasAttribute("data-watch");
  }
  if (!over || behind) setTimeout(catchUp, LOOK_MS);
}

/** Numbers change too often to be read out; states do not. */
function announce() {
  const status = shown();
  const place = document.getElementById("said");
  if (!status || status === said || place === null) return;
  said = status;
  place.textContent = STATES[status] ?? status;
}
