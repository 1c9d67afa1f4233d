import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ZodError } from "zod";
import { logError } from "../../core/log.ts";
import { NoRoom } from "../../frontier/batch/require-room.ts";
import { SilentLedger } from "../../frontier/ledgers.ts";
import { isDatabaseFull } from "../../store/installation/database-size.ts";
import { SealProblem } from "../../store/installation/seal.ts";
import { BadCursor } from "../../store/records/record-listing.ts";
import {
  FirecrawlProblem,
  firecrawlFailure,
  firecrawlProblem,
  isFirecrawlPath,
} from "../firecrawl/firecrawl-failure.ts";
import { RequestProblem } from "./request-problem.ts";

/** Errors as answers: Cloudflare's envelope, with a code for programs and a sentence for people. */

/** Maximum number of mistakes in an answer. */
const MAX_MISTAKES = 10;

const CODES: Record<number, string> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  409: "conflict",
  410: "cursor-expired",
  413: "too-large",
  422: "unprocessable",
  429: "rate-limited",
  507: "database-full",
  503: "no-token",
};

const FULL = "The database refused to grow. Delete crawls that are not needed; GET /api/health says how full it is.";

/** "Authentication error" of Cloudflare's API. */
const AUTHENTICATION_ERROR = 10_000;

/** Never throws: an error that is not a mistake of the request is logged and answered with 500. */
export function failureOf(error: Error, c: Context): Response {
  if (error instanceof RequestProblem) return failure(c, 400, error.code, error.message, error.path);
  if (error instanceof FirecrawlProblem) return c.json(firecrawlProblem(error, c.var.requestId), error.status);
  if (error instanceof NoRoom) return failure(c, 507, "database-full", error.message);
  if (error instanceof SilentLedger) return failure(c, 503, "ledger-silent", error.message);
  if (error instanceof SealProblem) return failure(c, 503, "no-session-key", error.message);
  if (error instanceof BadCursor) return failure(c, 400, "invalid-request", error.message);
  if (error instanceof ZodError) return failures(c, 400, mistakesOf(error));
  if (error instanceof SyntaxError) return failure(c, 400, "invalid-json", "The body is not JSON.");
  if (error instanceof HTTPException) return failure(c, error.status, CODES[error.status] ?? "error", error.message);
  if (isDatabaseFull(error)) return failure(c, 507, "database-full", FULL);
  logError("request-failed", error, { id: c.var.requestId, method: c.req.method });
  return failure(c, 500, "internal", "An internal error. The Worker's log has the details.");
}

/**
 * On Cloudflare's paths, the code is a number (`ErrorData` of their client): the status, except for authentication
 * errors.
 */
export function failure(
  c: Context,
  status: ContentfulStatusCode,
  word: string,
  message: string,
  path?: string,
): Response {
  return failures(c, status, [{ word, message, ...(path === undefined ? {} : { path }) }]);
}

interface Mistake {
  word: string;
  message: string;
  /** The parameter that has the mistake. */
  path?: string;
}

function failures(c: Context, status: ContentfulStatusCode, mistakes: Mistake[]): Response {
  if (isFirecrawlPath(c.req.path)) return c.json(firecrawlFailure(status, mistakes, c.var.requestId), status);
  const number = status === 401 || status === 403 ? AUTHENTICATION_ERROR : status;
  const isTheirs = c.req.path.startsWith("/client/v4/");
  const errors = mistakes.map(({ word, ...rest }) => ({ code: isTheirs ? number : word, ...rest }));
  return c.json({ success: false, result: null, errors, messages: [], requestId: c.var.requestId }, status);
}

export function mistakesOf(error: ZodError): Mistake[] {
  return error.issues.slice(0, MAX_MISTAKES).map((issue) => {
    const object = issue.path.join(".");
    const isUnknownKey = issue.code === "unrecognized_keys";
    const at = isUnknownKey ? [...issue.path, issue.keys[0]].join(".") : object;
    // A query has unknown keys too.
    const where = isUnknownKey && object === "" ? "" : `${object || "body"}: `;
    const mistake = { word: "invalid-request", message: where + issue.message };
    return at === "" ? mistake : { ...mistake, path: at };
  });
}
