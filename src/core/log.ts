/**
 * Structured logs: one JSON object a line, whose fields Workers Logs indexes
 * (https://developers.cloudflare.com/workers/observability/logs/workers-logs/#best-practices). They have no
 * secrets: no header, no token, no URL.
 */

type Fields = Record<string, unknown>;

export function logInfo(event: string, fields: Fields = {}): void {
  console.log(JSON.stringify({ event, ...fields }));
}

/** A problem that needs no action now. */
export function logWarning(event: string, fields: Fields = {}): void {
  console.warn(JSON.stringify({ event, ...fields }));
}

/** Something of ours is broken: `error` is logged with the messages of its causes, and the stack of the innermost. */
export function logError(event: string, error: unknown, fields: Fields = {}): void {
  const causes = causesOf(error);
  const innermost = causes.at(-1);
  const stack = innermost instanceof Error ? innermost.stack : undefined;
  console.error(JSON.stringify({ event, ...fields, error: causes.map(messageOf).join(": "), stack }));
}

/** From the outermost to the innermost. */
function causesOf(error: unknown): unknown[] {
  return error instanceof Error && error.cause !== undefined ? [error, ...causesOf(error.cause)] : [error];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
