import { topicDefaults } from "../../api/crawls/topic-request.ts";
import type { CrawlView } from "../../api/views.ts";
import { type FormFill, parseFormFill, writeFormFill } from "../../core/form-fill.ts";
import { formatInterval, parseInterval } from "../../core/interval.ts";
import { readDefaultCost } from "../../crawl/bounds/default-cost.ts";
import { OPTIONS, setAt } from "../../crawl/options/option-table.ts";
import { readNumber, writeNumber } from "../../crawl/options/written-number.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { crawlFields, type Field, watchFields } from "./crawl-fields.ts";
import { parseRules } from "./parse-rules.ts";

/** Converts between the values of the crawl form and a crawl request. */

/** The form's values by field name; a field with several inputs has several values. */
export type FormValues = Record<string, string[]>;

export const SUGGESTED_LIMIT = String(OPTIONS.limit.suggested);

/** An empty form with the default switches and choices. */
export function emptyForm(): FormValues {
  const switches = crawlFields().filter(
    ({ kind, default: preset }) => (kind === "switch" && preset === true) || kind === "choices",
  );
  return {
    limit: [SUGGESTED_LIMIT],
    ...Object.fromEntries(
      switches.map(({ name, kind, default: preset }) => [name, kind === "switch" ? ["on"] : listOf(preset)]),
    ),
  };
}

/** The installation's values of options that a request leaves out. */
export interface OwnDefaults {
  userAgent: string;
  maxCostUsd: number;
}

export function ownDefaults({ USER_AGENT, MAX_COST_USD }: { USER_AGENT: string; MAX_COST_USD?: string }): OwnDefaults {
  return { userAgent: USER_AGENT, maxCostUsd: readDefaultCost(MAX_COST_USD) };
}

/**
 * The form that starts a copy of this crawl. Its request headers are secret and stay empty. The installation's own
 * values stay empty too, so that the new crawl uses those of its time.
 */
export function formFromCrawl({ options }: CrawlView, own: OwnDefaults): FormValues {
  const { userAgent, maxCostUsd, ...flat } = options;
  const scope = Object.fromEntries(Object.entries(flat).filter(([name]) => `options.${name}` in OPTIONS));
  const request: Record<string, unknown> = {
    ...flat,
    ...(userAgent === own.userAgent ? {} : { userAgent }),
    ...(maxCostUsd === own.maxCostUsd ? {} : { maxCostUsd }),
    options: scope,
  };
  // What follows from the subject follows from it in the copy too.
  for (const [name, value] of Object.entries(topicDefaults(options)))
    for (const given of [request, scope] as Record<string, unknown>[]) if (given[name] === value) delete given[name];
  const [url = "", ...urls] = options.urls;
  return { url: [url], limit: [String(options.limit)], ...valuesOf(crawlFields(), { ...request, urls }) };
}

/** The values of these fields in a request. Those that are the defaults are left out. */
function valuesOf(fields: readonly Field[], request: object): FormValues {
  const values: FormValues = {};
  for (const field of fields) {
    const value = valueAt(request, field.name);
    if (value === undefined) continue;
    if (JSON.stringify(value) === JSON.stringify(field.default) && field.kind !== "choices" && field.kind !== "switch")
      continue;
    values[field.name] = formatField(field, value);
  }
  return values;
}

/** The request: only values that differ from the defaults. Text that is not a number stays text; the API refuses it. */
export function requestFromForm(values: FormValues): Record<string, unknown> {
  const url = firstValue(values, "url");
  const request: Record<string, unknown> = { url: url === "" ? "" : withScheme(url) };
  const limit = firstValue(values, "limit");
  if (limit !== "") request.limit = readNumber(limit, undefined);
  for (const field of crawlFields()) {
    const value = parseField(field, values);
    if (value !== undefined) setAt(request, field.name, value);
  }
  return request;
}

/** The fields of the watch in the form of a crawl. */
export function formFromWatch(crawl: CrawlView): FormValues {
  return valuesOf(watchFields(), crawl.options);
}

/** The watch of the form; an empty object for an empty form. */
export function watchFromForm(values: FormValues): unknown {
  const request: Record<string, unknown> = { watch: {} };
  for (const field of watchFields()) {
    const value = parseField(field, values);
    if (value !== undefined) setAt(request, field.name, value);
  }
  return request.watch;
}

export function firstValue(values: FormValues, name: string): string {
  return values[name]?.[0]?.trim() ?? "";
}

function parseField({ name, kind, unit, default: preset }: Field, values: FormValues): unknown {
  const text = firstValue(values, name);
  switch (kind) {
    case "switch":
      return (text !== "") === (preset ?? false) ? undefined : text !== "";
    case "choices": {
      const chosen = values[name] ?? [];
      return JSON.stringify(chosen) === JSON.stringify(preset) ? undefined : chosen;
    }
    case "lines": {
      const lines = splitLines(values[name]?.[0]);
      if (lines.length === 0) return undefined;
      return name === "urls" ? lines.map(withScheme) : lines;
    }
    case "forms":
      // The API says what is wrong with a line that is no form.
      return text === "" ? undefined : splitLines(values[name]?.[0]).map((line) => parseFormFill(line) ?? line);
    case "extraction":
    case "rules": {
      // The API says that a text is no list of rules.
      const parsed = parseRules(text);
      return text === "" ? undefined : "problem" in parsed ? text : parsed.rules;
    }
    case "pairs":
      return text === "" ? undefined : Object.fromEntries(splitLines(text).map(parsePair));
    case "date":
      return text === "" ? undefined : parseDay(text);
    case "interval":
      return text === "" ? undefined : parseInterval(text);
    case "integer":
    case "number":
      return text === "" ? undefined : readNumber(text, unit);
    default:
      return text === "" || text === preset ? undefined : text;
  }
}

function formatField({ kind, unit }: Field, value: unknown): string[] {
  if (kind === "switch") return value === true ? ["on"] : [];
  if (kind === "choices") return listOf(value);
  if (kind === "forms") return [(value as FormFill[]).map(writeFormFill).join("\n")];
  if (kind === "rules" || kind === "extraction") return [JSON.stringify(value, null, 2)];
  if (kind === "date") return [new Date(Number(value) * 1000).toISOString().slice(0, 10)];
  if (kind === "interval") return [formatInterval(Number(value))];
  if (typeof value === "number") return [writeNumber(value, unit)];
  return [kind === "lines" ? listOf(value).join("\n") : String(value)];
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** Seconds since 1970 at the beginning of the day (UTC). */
function parseDay(day: string): number | string {
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) ? day : time / 1000;
}

function splitLines(text = ""): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function parsePair(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return colon === -1 ? [line, ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}

function valueAt(request: unknown, name: string): unknown {
  return name.split(".").reduce((at, key) => (at instanceof Object ? Reflect.get(at, key) : undefined), request);
}
