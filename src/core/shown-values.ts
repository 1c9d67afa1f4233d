/** Numbers, sizes, durations, times and states for people: alike in the command line, the console and sentences. */

/** Decimal units, as D1, R2 and browsers count: 1 kB is 1,000 bytes. */
const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function bytes(size: number): string {
  let power = 0;
  // The next unit begins where this one would round to 1,000.
  while (power < UNITS.length - 1 && size / 1000 ** power >= 999.5) power++;
  return `${short(size / 1000 ** power).replace(/\.0$/, "")} ${UNITS[power]}`;
}

/** An integer with a comma for each thousand. `toLocaleString` loads tables first: a hundredth of a short command. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** "1 page", "2 pages". */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** At most three digits where there is a decimal point. */
export function short(value: number): string {
  if (value >= 99.95) return count(Math.round(value));
  return value === 0 ? "0" : value.toFixed(value < 0.095 ? 2 : 1);
}

/** The two largest units. */
export function duration(seconds: number): string {
  if (seconds < 0.05) return "0 s";
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
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

/** The minute of a time, in UTC: "2026-11-21 09:30". */
export function minuteOf(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

/** What a model has done, and what it cost where that is known. */
export function spentInWords(spent: {
  calls: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number | null;
}): string {
  const { calls, inputTokens, outputTokens, costUsd } = spent;
  const usd = costUsd === null ? "" : `, about ${costUsd.toPrecision(2)} USD`;
  return `${plural(calls, "call")}, ${count(inputTokens)} tokens read, ${count(outputTokens)} written${usd}`;
}

/** The state of a crawl or of a URL in words: "cancelled by user". */
export function state(status: string): string {
  return status.replaceAll("_", " ");
}
