import type { ContentfulStatusCode } from "hono/utils/http-status";

/** A request that this installation understood and cannot answer as it was asked. */
export class FirecrawlProblem extends Error {
  readonly status: ContentfulStatusCode;
  /** For programs: a code of theirs where they have one. */
  readonly code: string;

  constructor(status: ContentfulStatusCode, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Whether a path is one of Firecrawl's. */
export function isFirecrawlPath(path: string): boolean {
  return path.startsWith("/v2/") || path.startsWith("/v1/");
}

interface Mistake {
  word: string;
  message: string;
  path?: string;
}

export function firecrawlProblem({ code, message }: FirecrawlProblem, requestId: string) {
  return { success: false as const, code, error: message, requestId };
}

/** Codes of theirs, by HTTP status. Others are ours. */
const CODES: Record<number, string> = { 400: "BAD_REQUEST", 401: "UNAUTHORIZED", 429: "RATE_LIMITED" };

/** The body of an error on Firecrawl's paths. */
export function firecrawlFailure(status: number, mistakes: readonly Mistake[], requestId: string) {
  const details = mistakes.filter(({ path }) => path !== undefined);
  return {
    success: false as const,
    code: CODES[status] ?? (mistakes[0]?.word ?? "error").toUpperCase().replaceAll("-", "_"),
    // Their clients show this alone, so it names the parameter.
    error: mistakes
      .map(({ path, message }) => (path === undefined || message.includes(path) ? message : `${path}: ${message}`))
      .join("; "),
    ...(details.length === 0
      ? {}
      : { details: details.map(({ path = "", message }) => ({ path: path.split("."), message })) }),
    requestId,
  };
}
