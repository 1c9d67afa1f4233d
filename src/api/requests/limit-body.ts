import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { refusal } from "./request-problem.ts";

/** Many times the size of a request with 1,000 seeds, and half the maximum size of a row in D1. */
export const MAX_REQUEST_BYTES = 1024 * 1024;

/**
 * Refuses a body of more bytes. Each route that reads one is behind it, and behind the check of its caller: a body that
 * nobody may send is not read.
 */
export function limitBody(maxSize = MAX_REQUEST_BYTES, status: 400 | 413 = 413): MiddlewareHandler {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw refusal(status, `The body of a request may have at most ${maxSize} bytes.`);
    },
  });
}
