import type { CrawlView } from "../api/views.ts";
import { type Field, fieldGroups } from "./crawl-fields.ts";

/** Between the form for a crawl and the request that it stands for. */

/** What stands in the form: of a name that can stand there several times, all. */
export type Filled = Record<string, string[]>;

/** Without a limit of one's own a crawl ends at ten pages, as Cloudflare's does: the form suggests more. */
export const SUGGESTED_LIMIT = "1000";

/** An empty form, and its switches as they are by default. */
export function emptyForm(): Filled {
  const switches = fieldGroups()
    .flatMap(({ fields }) => fields)
    .filter(({ kind, default: preset }) => (kind === "switch" && preset === true) || kind === "choices");
  return {
    limit: [SUGGESTED_LIMIT],
    ...Object.fromEntries(
      switches.map(({ name, kind, default: preset }) => [name, kind === "switch" ? ["on"] : (preset as string[])]),
    ),
  };
}

/**
 * The form for another crawl like this one. Its headers are shown to nobody, so they have to be given anew; a user agent that is the
 * installation's own stays so, whatever that is by then.
 */
export function formLike({ options }: CrawlView, ownUserAgent: string): Filled {
  const { userAgent, includeSubdomains, includeExternalLinks, includePatterns, excludePatterns, ...flat } = options;
  const request: Record<string, unknown> = {
    ...flat,
    ...(userAgent === ownUserAgent ? {} : { userAgent }),
    options: { includeSubdomains, includeExternalLinks, includePatterns, excludePatterns },
  };
  const [url = "", ...urls] = options.urls;
  const filled: Filled = { url: [url], limit: [String(options.limit)] };
  for (const field of fieldGroups().flatMap(({ fields }) => fields)) {
    const value = field.name === "urls" ? urls : valueAt(request, field.name);
    if (value === undefined) continue;
    if (JSON.stringify(value) === JSON.stringify(field.default) && field.kind !== "choices" && field.kind !== "switch")
      continue;
    filled[field.name] = writtenAs(field, value);
  }
  return filled;
}

/** The request, of what differs from the defaults; what is no number is left as it is, for the API to refuse. */
export function requestOf(filled: Filled): Record<string, unknown> {
  const request: Record<string, unknown> = { url: seedOf(first(filled, "url")) };
  const limit = first(filled, "limit");
  if (limit !== "") request.limit = numberOf(limit);
  for (const field of fieldGroups().flatMap(({ fields }) => fields)) {
    const value = readAs(field, filled);
    if (value !== undefined) place(request, field.name, value);
  }
  return request;
}

export function first(filled: Filled, name: string): string {
  return filled[name]?.[0]?.trim() ?? "";
}

/** Nobody types a scheme. */
function seedOf(typed: string): string {
  if (typed === "" || /^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return typed;
  return `https://${typed}`;
}

function readAs({ name, kind, default: preset }: Field, filled: Filled): unknown {
  const text = first(filled, name);
  switch (kind) {
    case "switch":
      return (text !== "") === preset ? undefined : text !== "";
    case "choices": {
      const chosen = filled[name] ?? [];
      return JSON.stringify(chosen) === JSON.stringify(preset) ? undefined : chosen;
    }
    case "lines": {
      const lines = linesOf(filled[name]?.[0]);
      if (lines.length === 0) return undefined;
      return name === "urls" ? lines.map(seedOf) : lines;
    }
    case "pairs":
      return text === "" ? undefined : Object.fromEntries(linesOf(text).map(pairOf));
    case "date":
      return text === "" ? undefined : secondsOf(text);
    case "integer":
    case "number":
      return text === "" ? undefined : numberOf(text);
    default:
      return text === "" || text === preset ? undefined : text;
  }
}

function writtenAs({ kind }: Field, value: unknown): string[] {
  if (kind === "switch") return value === true ? ["on"] : [];
  if (kind === "choices") return (value as string[]).map(String);
  if (kind === "date") return [new Date(Number(value) * 1000).toISOString().slice(0, 10)];
  return [kind === "lines" ? (value as string[]).join("\n") : String(value)];
}

function numberOf(text: string): number | string {
  const number = Number(text.replaceAll(/[\s,_]/g, ""));
  return Number.isFinite(number) ? number : text;
}

/** Of the beginning of a day. */
function secondsOf(day: string): number | string {
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) ? day : time / 1000;
}

function linesOf(text = ""): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function pairOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return colon === -1 ? [line, ""] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}

function valueAt(request: unknown, name: string): unknown {
  return name.split(".").reduce((at, key) => (at as Record<string, unknown> | undefined)?.[key], request);
}

function place(request: Record<string, unknown>, name: string, value: unknown): void {
  const [head = "", ...rest] = name.split(".");
  if (rest.length === 0) {
    request[head] = value;
    return;
  }
  const inner = (request[head] ?? {}) as Record<string, unknown>;
  request[head] = inner;
  place(inner, rest.join("."), value);
}
