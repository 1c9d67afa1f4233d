import type { z } from "zod";

/** One thing that the API does, as its description, its reference and its tests need to know it. */
export interface Operation {
  /** What generated clients call it. */
  id: string;
  method: "get" | "post" | "patch" | "delete";
  /** As the router writes it. */
  path: string;
  /** A second path at which it does the same. */
  also?: string;
  tag: Tag;
  summary: string;
  detail?: string;
  /** Answers everybody, without a token. */
  open?: true;
  /** A POST that a token which only reads may send all the same. */
  reads?: true;
  /** The schemas by which the route reads its request. */
  query?: z.ZodObject;
  body?: z.ZodType;
  answer: Answer;
  /** Statuses besides those that follow from the above. */
  refuses?: number[];
  /** A request that works; a test sends it. An `:id` is that of a crawl or a schedule. */
  example?: { query?: Record<string, string>; body?: unknown; path?: Record<string, string> };
}

/** `result` comes in the envelope, as Cloudflare's with `errors` and `messages` where it has those, `json` without; `file` says what it is. */
export type Answer = { status: number; says: string } & (
  | { result: z.ZodType; messages?: z.ZodType }
  | { json: z.ZodType }
  | { file: string }
);

export const TAGS = {
  crawls: "Crawls, and what they hold.",
  schedules: "Crawls that start by themselves.",
  explain: "What would be decided for a URL.",
  installation: "How it does, and what it can.",
  cloudflare:
    "The paths, parameters and statuses of Cloudflare's own [/crawl](https://developers.cloudflare.com/browser-rendering/rest-api/crawl-endpoint/), so that its clients work here by a change of their base URL.",
} as const;

export type Tag = keyof typeof TAGS;

/** What a path's own parameters are. */
export const PATH_TEXTS: Record<string, string> = {
  id: "The id that it was given when it was made.",
  account: "Anything: an installation has one account.",
  file: "The name of a file.",
  url: "A URL in any spelling, as it is: its slashes are not escaped, and its `?query` is the query of the request.",
};

/** Of each status with which a request is refused, its codes and what they mean. */
export const REFUSED: Record<number, { codes: string[]; says: string }> = {
  400: {
    codes: [
      "invalid-request",
      "invalid-json",
      "invalid-url",
      "too-long",
      "private-address",
      "invalid-cron",
      "invalid-query",
    ],
    says: "The request is wrong; the message says where.",
  },
  401: { codes: ["unauthorized"], says: "The token is missing or wrong." },
  403: { codes: ["forbidden"], says: "The token only reads." },
  404: { codes: ["not-found"], says: "There is no such thing." },
  409: { codes: ["conflict"], says: "Its state does not allow it." },
  413: { codes: ["too-large"], says: "The body is larger than 1 MiB." },
  429: {
    codes: ["rate-limited"],
    says: "Too many requests of this token, or wrong tokens of this address. `Retry-After` says how many seconds to wait.",
  },
  500: { codes: ["internal"], says: "Something of ours failed; the Worker's log has the particulars." },
  503: { codes: ["no-token"], says: "The installation has no token, so it answers nobody." },
};

/** The path as OpenAPI writes it. The router's own may say what a name stands for: `:url{.+}`. */
export function templateOf(path: string): string {
  return fillPath(path, (name) => `{${name}}`);
}

/** The router's path with values in place of its names. */
export function fillPath(path: string, value: (name: string) => string): string {
  return path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) => value(name));
}

export function namesInPath(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

/** The statuses with which it refuses, in order. */
export function refusalsOf({ method, path, open, reads, query, body, refuses = [] }: Operation): number[] {
  if (open) return refuses;
  const statuses = [401, 429, 500, 503, ...refuses];
  if (method !== "get" && !reads) statuses.push(403);
  if (query !== undefined || body !== undefined) statuses.push(400);
  if (body !== undefined) statuses.push(413);
  if (namesInPath(path).includes("id")) statuses.push(404);
  return [...new Set(statuses)].sort((a, b) => a - b);
}
