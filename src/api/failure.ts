import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ZodError } from "zod";
import { RequestProblem } from "./schemas.ts";

/** An error as an answer: Cloudflare's envelope, with a code that programs can read and a sentence for people. */

/** Of a body with thousands of mistakes. */
const MOST_MISTAKES = 10;

const CODES: Record<number, string> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  409: "conflict",
  413: "too-large",
  429: "rate-limited",
  503: "no-token",
};

/** What Cloudflare's API calls "Authentication error". */
const AUTHENTICATION_ERROR = 10_000;

/** Throws nothing: what is no mistake of the request is logged and answered 500. */
export function failureOf(error: Error, c: Context): Response {
  if (error instanceof RequestProblem) return failure(c, 400, error.code, error.message);
  if (error instanceof ZodError) return failure(c, 400, "invalid-request", sentencesOf(error));
  if (error instanceof SyntaxError) return failure(c, 400, "invalid-json", "The body is not JSON.");
  if (error instanceof HTTPException) return failure(c, error.status, CODES[error.status] ?? "error", error.message);
  console.error("request failed", c.req.method, c.req.path, error);
  return failure(c, 500, "internal", "Something of ours failed. The Worker's log has the particulars.");
}

/** On Cloudflare's paths the code is a number, as in theirs (`ErrorData` of their client): the status, where they have no own one. */
export function failure(c: Context, status: ContentfulStatusCode, word: string, message: string): Response {
  const number = status === 401 || status === 403 ? AUTHENTICATION_ERROR : status;
  const code = c.req.path.startsWith("/client/v4/") ? number : word;
  return c.json({ success: false, result: null, errors: [{ code, message }], messages: [] }, status);
}

function sentencesOf(error: ZodError): string {
  const mistakes = error.issues.slice(0, MOST_MISTAKES);
  return mistakes.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`).join("; ");
}
