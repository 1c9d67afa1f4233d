/** Intervals such as 30m, 12h, 7d and 2w, as people type and read them. */

const UNITS_S: Record<string, number> = { w: 604_800, d: 86_400, h: 3_600, m: 60, s: 1 };

/** Seconds; text that is no interval stays text for the API to refuse. */
export function parseInterval(text: string): number | string {
  const [, count, unit = ""] = /^(\d{1,9}) ?([smhdw])$/i.exec(text.trim()) ?? [];
  return count === undefined ? text : Number(count) * (UNITS_S[unit.toLowerCase()] ?? 1);
}

/** In the largest unit below a week that divides it: `7d`, not `1w`. */
export function formatInterval(seconds: number): string {
  const [unit = "s", size = 1] =
    Object.entries(UNITS_S).find(([name, each]) => name !== "w" && seconds % each === 0) ?? [];
  return `${seconds / size}${unit}`;
}

const NAMES: [name: string, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** "7 days": in the largest unit that divides it, or else in seconds. */
export function intervalInWords(seconds: number): string {
  const [name, size] = NAMES.find(([, unit]) => seconds % unit === 0) ?? ["second", 1];
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

/** "every 7 days", "every hour". */
export function everyInWords(seconds: number): string {
  return `every ${intervalInWords(seconds).replace(/^1 /, "")}`;
}

/** "3 days" for about three: in whole numbers of the largest unit of which there are two; at least a minute. */
export function roughInterval(seconds: number): string {
  const size = NAMES.find(([, unit]) => seconds >= 2 * unit)?.[1] ?? 60;
  return intervalInWords(Math.max(1, Math.round(seconds / size)) * size);
}
