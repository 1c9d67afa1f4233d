import type { HostView } from "../../api/views.ts";
import { count, duration, minuteOf } from "../../core/shown-values.ts";

/** Describes the state of each host of a crawl in one line. */

const MAX_SHOWN = 10;

export function describeHosts(hosts: HostView[], now: number): string[] {
  const lines = hosts.slice(0, MAX_SHOWN).map((host) => describeHost(host, now));
  return hosts.length > MAX_SHOWN ? [...lines, `  and ${count(hosts.length - MAX_SHOWN)} more hosts`] : lines;
}

function describeHost(
  { host, queued, delayMs, before, nextAt, waitingSince, why, samePages }: HostView,
  now: number,
): string {
  const facts = [`${count(queued)} queued`, `${duration(delayMs / 1000)} between requests`];
  // An older installation does not say.
  if ((before ?? []).length > 0) facts.push(`after crawl ${before.join(", ")}`);
  if (waitingSince !== null) {
    const next = nextAt === null ? "due now" : `next request in ${duration((Date.parse(nextAt) - now) / 1000)}`;
    facts.push(`waiting since ${minuteOf(waitingSince)} UTC, ${next}: ${why}`);
  }
  return [`  ${host}: ${facts.join(", ")}`, ...describeSamePages(samePages ?? [])].join("\n");
}

/** Parts of URLs that are left out, or were. An older installation has none. */
function describeSamePages(samePages: HostView["samePages"]): string[] {
  const shown = samePages.filter(({ state }) => state !== "learning");
  return shown.map(({ part, scope, state, same, different, samples }) => {
    const evidence = `${count(same)} pages the same, ${count(different)} not, ${count(samples)} verified`;
    const claim = state === "withdrawn" ? "changes pages after all" : "never changes the page";
    return `    ${part} at ${scope} ${claim}: ${state} (${evidence})`;
  });
}
