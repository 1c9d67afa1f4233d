import type { FC } from "hono/jsx";
import { minuteOf, state } from "../../core/shown-values.ts";

/** Money, times, states and URLs for people. */

export function money(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.001) return "<$0.001";
  return `$${usd < 1 ? usd.toFixed(3) : usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** The minute in UTC. */
export function inUtc(iso: string): string {
  return `${minuteOf(iso)} UTC`;
}

/** The time in UTC; `page.js` replaces it by the reader's local time. */
export const Time: FC<{ at: string | null }> = ({ at }) =>
  at === null ? <span class="muted">–</span> : <time datetime={at}>{inUtc(at)}</time>;

export const Status: FC<{ of: string }> = ({ of }) => (
  // Its colour is the same however a crawl was cancelled.
  <span class="status" data-status={of.replace(/^cancelled_.*/, "cancelled")}>
    {sentence(state(of))}
  </span>
);

/** A URL without its scheme. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, "").replace(/^([^/]+)\/$/, "$1");
}

/** A URL without its scheme and host. */
export function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]*/, "") || "/";
}

export function sentence(text: string): string {
  // File names keep their case.
  return text.startsWith("robots.txt") ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
