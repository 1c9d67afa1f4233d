import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** A refusal without a code of its own: its status has one (failure.ts). */
export function refusal(status: ContentfulStatusCode, message: string): HTTPException {
  return new HTTPException(status, { message });
}

/** A mistake in a request that has the right shape. The API answers 400 with its code. */
export class RequestProblem extends Error {
  readonly code: string;
  /** The parameter that has the mistake. */
  readonly path: string | undefined;

  constructor(code: string, message: string, path?: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}
