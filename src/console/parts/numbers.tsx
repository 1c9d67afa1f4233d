import type { FC } from "hono/jsx";

/** Formats numbers, times, states and URLs for people. */

export function count(value: number): string {
  return value.toLocaleString("en");
}

/** "1 page", "2 pages". */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function bytes(value: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), units.length - 1);
  return `${short(value / 1000 ** power, power === 0)} ${units[power]}`;
}

/** At most three digits where there is a decimal point. */
export function short(value: number, isInteger = false): string {
  if (isInteger || value >= 100) return count(Math.round(value));
  return value === 0 ? "0" : value.toFixed(value < 0.1 ? 2 : 1);
}

export function money(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.001) return "<$0.001";
  return `$${usd < 1 ? usd.toFixed(3) : usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

export function duration(seconds: number): string {
  if (seconds < 0.05) return "0 s";
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const rounded = Math.round(seconds);
  if (rounded < 60) return `${rounded} s`;
  const [days, hours, minutes] = [
    Math.floor(rounded / 86_400),
    Math.floor(rounded / 3600) % 24,
    Math.floor(rounded / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${rounded % 60} s`;
}

let utc: Intl.DateTimeFormat | undefined;

export function inUtc(iso: string): string {
  // Made at the first use: its tables would take a twentieth of the Worker's start.
  utc ??= new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
  return `${utc.format(new Date(iso))} UTC`;
}

/** The time in UTC; `page.js` replaces it by the reader's local time. */
export const Time: FC<{ at: string | null }> = ({ at }) =>
  at === null ? <span class="muted">–</span> : <time datetime={at}>{inUtc(at)}</time>;

const STATES: Record<string, [shown: string, text: string]> = {
  cancelled_by_user: ["cancelled", "Cancelled"],
  cancelled_due_to_timeout: ["cancelled", "Time limit"],
  cancelled_due_to_limits: ["cancelled", "Subject exhausted"],
};

export const Status: FC<{ of: string }> = ({ of }) => {
  const [shown, text] = STATES[of] ?? [of, of.charAt(0).toUpperCase() + of.slice(1)];
  return (
    <span class="status" data-status={shown}>
      {text}
    </span>
  );
};

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
