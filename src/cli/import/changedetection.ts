/**
 * Reads the watches of changedetection.io: the `url-watches.json` of its backup, the `watch.json` files of newer ones,
 * its lists of URLs, and the answer of `GET /api/v1/watch`
 * (https://github.com/dgtlmoon/changedetection.io/blob/master/changedetectionio/model/__init__.py).
 */

export interface ForeignWatch {
  url: string;
  /** Null if it is that of all watches, and the file does not say which. */
  everyS: number | null;
  /** A browser fetched it. */
  isDrawn: boolean;
  headers: Record<string, string>;
  ignore: { selectors: string[]; patterns: string[] };
  /** Elements whose content is watched. */
  elements: string[];
  /** What it has that a watch here has not, for people. */
  lacks: string[];
  /** Why no watch is made of it, for people; null if one is. */
  problem: string | null;
}

type Json = Record<string, unknown>;

const UNITS_S = { weeks: 604_800, days: 86_400, hours: 3_600, minutes: 60, seconds: 1 };

/** Null for what is no list of watches. */
export function readWatches(text: string): ForeignWatch[] | null {
  const json = parseJson(text);
  if (json === undefined) return readList(text);
  if (!isObject(json)) return null;
  const { watching, settings } = json;
  const usual = secondsOf(at(at(settings, "requests"), "time_between_check"));
  const listed = isObject(watching) ? watching : json;
  const watches = typeof json.url === "string" ? [json] : Object.values(listed);
  const known = watches.filter((watch): watch is Json => isObject(watch) && typeof watch.url === "string");
  return known.length === 0 && !isObject(watching) ? null : known.map((watch) => toWatch(watch, usual));
}

/** A URL a line; what follows it on its line are tags. */
function readList(text: string): ForeignWatch[] | null {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const urls = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(/\s/)[0] ?? "");
  if (urls.length === 0 || !urls.every((url) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(url))) return null;
  return urls.map((url) => toWatch({ url }, null));
}

function toWatch(watch: Json, usual: number | null): ForeignWatch {
  const url = String(watch.url).trim();
  const lacks: string[] = [];
  const own = watch.time_between_check_use_default === true ? null : secondsOf(watch.time_between_check);
  const { css: selectors, others } = bySyntax(linesOf(watch.subtractive_selectors));
  if (others.length > 0) lacks.push(`removed elements that are no CSS selector (${others[0]})`);
  const included = bySyntax([...linesOf(watch.include_filters), ...linesOf(watch.css_filter)]);
  if (included.others.length > 0) lacks.push(`a filter by XPath or JSONPath (${included.others[0]})`);
  if (included.css.length > 0)
    lacks.push("a filter by elements: their content is a field, and the rest of the page is watched too");
  const patterns: string[] = [];
  for (const line of linesOf(watch.ignore_text)) {
    if (isRegularExpression(line) || line.includes("*")) lacks.push(`ignored text by a regular expression (${line})`);
    // There, a line that has the text does not count.
    else patterns.push(`*${line}*`);
  }
  lacks.push(...namesOfLacking(watch));
  return {
    ...{ url, everyS: own ?? usual, elements: included.css, lacks, problem: problemOf(url, watch) },
    headers: isObject(watch.headers) ? mapOf(watch.headers) : {},
    ignore: { selectors, patterns },
    isDrawn: /webdriver|playwright|browser/i.test(String(watch.fetch_backend ?? "")),
  };
}

/** Written as `/words/flags`. */
function isRegularExpression(line: string): boolean {
  const last = line.lastIndexOf("/");
  return line.startsWith("/") && last > 0 && /^[a-z]{0,10}$/i.test(line.slice(last + 1));
}

function problemOf(url: string, watch: Json): string | null {
  if (!/^https?:\/\//i.test(url)) return "it is no http or https URL";
  if (/\{\{|\{%/.test(url)) return "its URL is a template";
  const method = String(watch.method ?? "GET").toUpperCase();
  if (method !== "GET") return `it sends ${method}, and a watch only reads`;
  return watch.paused === true ? "it is paused there" : null;
}

/** What is set in a watch that has no like here, by its name there. */
const LACKING: Record<string, string> = {
  browser_steps: "browser steps",
  webdriver_js_execute_code: "a script that runs in the page",
  trigger_text: "text that triggers",
  text_should_not_be_present: "text that must not be there",
  extract_text: "text that is extracted by regular expressions",
  conditions: "conditions",
  notification_urls: "notifications: `webhooks add ID URL` tells programs, chats and mailboxes",
  proxy: "a proxy",
};

function namesOfLacking(watch: Json): string[] {
  const named = Object.entries(LACKING).filter(([name]) => isSet(watch[name]));
  const { processor } = watch;
  const isOther = typeof processor === "string" && processor !== "" && processor !== "text_json_diff";
  return [
    ...named.map(([, words]) => words),
    ...(isOther ? [`the processor ${processor}`] : []),
    ...(at(watch.time_schedule_limit, "enabled") === true ? ["hours at which it is checked"] : []),
  ];
}

/** Browser steps that do nothing are in every watch that has been opened there. */
function isSet(value: unknown): boolean {
  if (Array.isArray(value))
    return value.some((step) => !isObject(step) || !/^(?:|choose one|goto site)$/i.test(String(step.operation ?? "")));
  return isObject(value)
    ? Object.keys(value).length > 0
    : value !== null && value !== undefined && value !== "" && value !== false;
}

function bySyntax(filters: readonly string[]): { css: string[]; others: string[] } {
  const isOther = (filter: string) => /^(?:xpath1?:|\/|json:|jq:|jqraw:|\()/i.test(filter);
  const css = filters.filter((filter) => !isOther(filter)).map((filter) => filter.replace(/^css:/i, "").trim());
  return { css, others: filters.filter(isOther) };
}

/** Null if nothing is set. */
function secondsOf(value: unknown): number | null {
  if (!isObject(value)) return null;
  const seconds = Object.entries(UNITS_S).reduce((sum, [unit, s]) => sum + s * (Number(value[unit]) || 0), 0);
  return seconds > 0 ? seconds : null;
}

/** Older versions have one text with lines, newer ones a list. */
function linesOf(value: unknown): string[] {
  const lines = Array.isArray(value) ? value.map(String) : typeof value === "string" ? value.split(/\r?\n/) : [];
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

function mapOf(value: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

/** Undefined for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function at(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
