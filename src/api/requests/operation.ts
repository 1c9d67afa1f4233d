import type { z } from "zod";

/** A route of the API, as its description and its tests need it. */
export interface Operation {
  /** The name of the method in generated clients. */
  id: string;
  method: "get" | "post" | "patch" | "delete";
  /** In the syntax of the router. */
  path: string;
  /** A second path for the same operation. */
  also?: string;
  tag: Tag;
  summary: string;
  detail?: string;
  /** Needs no token. */
  open?: true;
  /** A POST that a read-only token may send. */
  reads?: true;
  /** The schemas with which the route parses its request. */
  query?: z.ZodObject;
  body?: z.ZodType;
  /** The media type of a body that is no JSON. */
  upload?: string;
  answer: Answer;
  /** Error statuses besides those that follow from the fields above. */
  refuses?: number[];
  /** A valid request, which a test sends. The test fills in `:id`. */
  example?: { query?: Record<string, string>; body?: unknown; path?: Record<string, string> };
}

/**
 * `result` is in the envelope, with `errors` and `messages` if there are messages. `json` has no envelope. `file` is a
 * media type.
 */
type Answer = { status: number; says: string } & (
  | { result: z.ZodType; messages?: z.ZodType }
  | { json: z.ZodType }
  | { file: string }
);

export const TAGS = {
  crawls: "Crawls, their records and their pages.",
  webhooks: "Who is told of a crawl's events, and what came of it.",
  schedules: "Crawls that start at set times.",
  sessions: "What reads pages behind a log-in. No answer has a cookie or a header.",
  explain: "What a crawl decides for a URL, and why.",
  fields: "Values that rules read from pages, such as prices.",
  extract: "Values that a model finds in pages, with the words that they come from.",
  installation: "The health of the installation, and the description of its API.",
  cloudflare:
    "The paths, parameters and statuses of Cloudflare's [/crawl](https://developers.cloudflare.com/browser-rendering/rest-api/crawl-endpoint/). Its clients work here if their base URL is changed.",
  firecrawl:
    "Version 2 of [Firecrawl's API](https://docs.firecrawl.dev/api-reference/v2-introduction), and as much of version 1 as older clients use. Its clients work here if their address is changed.",
} as const;

type Tag = keyof typeof TAGS;

/** The heading of the operations with a tag. `Fields` is the name of a shape. */
export function titleOf(tag: string): string {
  return tag === "fields" ? "Field rules" : (tag[0] ?? "").toUpperCase() + tag.slice(1);
}

type Details = Omit<Operation, "id" | "method" | "path" | "tag" | "summary">;

/** Functions that make the operations with one tag. */
export function operationsIn(tag: Tag) {
  const maker =
    (method: Operation["method"]) =>
    (id: string, path: string, summary: string, details: Details): Operation => ({
      id,
      method,
      path,
      tag,
      summary,
      ...details,
    });
  return { get: maker("get"), post: maker("post"), patch: maker("patch"), delete: maker("delete") };
}

/** Descriptions of the parameters in paths. */
export const PATH_TEXTS: Record<string, string> = {
  id: "The id of the crawl or schedule, or its beginning: at least four characters with which no other id begins. `latest` leads to the newest crawl, by a redirect (307).",
  session: "The name of the session.",
  webhook: "The id of the webhook, or its beginning.",
  delivery: "The id of the delivery.",
  export: "The id of the export.",
  check: "The id of the check.",
  account: "Any value: an installation has one account.",
  file: "The name of a file.",
  time: "A time in UTC as `YYYYMMDDhhmmss`, or its beginning: `2026` is the end of that year, `20261121` the end of that day.",
  format: "`link` for application/link-format, or `json`.",
  url: "A URL in any spelling, not escaped. Its `?query` is the query of the request.",
};

/** Error statuses, with their codes and their meaning. */
export const REFUSED: Record<number, { codes: string[]; says: string }> = {
  400: {
    codes: [
      "invalid-request",
      "invalid-json",
      "invalid-url",
      "too-long",
      "private-address",
      "ip-address",
      "invalid-cron",
      "invalid-query",
      "no-session",
    ],
    says: "The request is wrong. The message names the mistake.",
  },
  401: { codes: ["unauthorized"], says: "The token is missing or wrong." },
  403: { codes: ["forbidden"], says: "The token is read-only." },
  404: { codes: ["not-found"], says: "It does not exist." },
  409: { codes: ["conflict"], says: "The state of the crawl does not allow it." },
  410: {
    codes: ["cursor-expired"],
    says: "The cursor has expired, or is another crawl's. The message says how to go on.",
  },
  408: { codes: ["SCRAPE_TIMEOUT", "MAP_TIMEOUT"], says: "The answer did not come in time." },
  413: {
    codes: ["too-large"],
    says: "The body is larger than 1 MiB; that of an import's answers, larger than 26 MiB.",
  },
  415: { codes: ["SCRAPE_UNSUPPORTED_FILE_ERROR"], says: "The URL leads to no page." },
  422: { codes: ["unprocessable"], says: "The URLs, the key or the key file are not as the protocol demands." },
  429: {
    codes: ["rate-limited"],
    says: "Too many requests with this token, or too many wrong tokens from this address. `Retry-After` is the number of seconds to wait.",
  },
  500: { codes: ["internal"], says: "An internal error. The Worker's log has the details." },
  507: { codes: ["database-full"], says: "The database has no room. The message says what to delete." },
  503: {
    codes: ["no-token", "no-session-key", "ledger-silent"],
    says: "The installation has no token, so it refuses all requests; or no usable SESSION_KEY, so it keeps no secret value; or a ledger of the crawl does not answer, so try again in a minute.",
  },
};

/** The path in the syntax of OpenAPI. A path of the router may have patterns: `:url{.+}`. */
export function templateOf(path: string): string {
  return fillPath(path, (name) => `{${name}}`);
}

/** Puts values in the place of the names in a path. */
export function fillPath(path: string, value: (name: string) => string): string {
  return path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) => value(name));
}

export function namesInPath(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

/** All error statuses of an operation, in order. */
export function refusalsOf({ method, path, open, reads, query, body, upload, refuses = [] }: Operation): number[] {
  if (open) return refuses;
  const statuses = [401, 429, 500, 503, ...refuses];
  if (method !== "get" && !reads) statuses.push(403);
  const hasBody = body !== undefined || upload !== undefined;
  if (query !== undefined || hasBody) statuses.push(400);
  if (hasBody) statuses.push(413);
  if (namesInPath(path).includes("id")) statuses.push(404);
  return [...new Set(statuses)].sort((a, b) => a - b);
}
