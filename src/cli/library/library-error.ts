import { RefusedRequest, Unreachable, UserError } from "../errors.ts";
import type * as declared from "./library-types.ts";

/** Errors of the library. */

export class OrbweaverError extends Error implements declared.OrbweaverError {
  override readonly name = "OrbweaverError";
  readonly code: declared.ErrorCode;
  readonly option: string | null;

  constructor(code: declared.ErrorCode, message: string, option: string | null = null, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.option = option;
  }
}

export function invalidOption(option: string, message: string): OrbweaverError {
  return new OrbweaverError("invalid-option", `${option}: ${message}`, option);
}

const CODES: Record<number, declared.ErrorCode> = {
  400: "invalid-option",
  401: "unauthorized",
  403: "unauthorized",
  404: "not-found",
};

/** The names of options in messages for people at a command line. */
const NAMES: readonly [RegExp, string][] = [
  [/--state DIR/g, "the option `state`"],
  [/add --insecure-http/g, "set `insecureHttp`"],
  [/--remote/g, "`remote`"],
];

/** What the command line and the API throw, as an error of the library. Other errors stay as they are. */
export function toLibraryError(error: unknown): unknown {
  if (!(error instanceof UserError)) return error;
  if (error instanceof RefusedRequest && error.mistakes.length > 0) {
    const [first] = error.mistakes;
    // The API begins with the option; it has no flags in its words.
    const message = error.status < 500 ? error.mistakes.map((each) => each.message).join("; ") : error.message;
    return new OrbweaverError(CODES[error.status] ?? "failed", message, first?.path ?? null, error);
  }
  const message = NAMES.reduce((text, [flag, name]) => text.replace(flag, name), error.message);
  return new OrbweaverError(error instanceof Unreachable ? "unreachable" : "failed", message, null, error);
}
