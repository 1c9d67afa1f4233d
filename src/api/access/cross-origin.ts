import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

/**
 * Requests from pages of other origins, where the operator names these origins in CORS_ORIGINS
 * (https://fetch.spec.whatwg.org/#http-cors-protocol). Such a page sends a token: cookies are not allowed, so it cannot
 * use the session of somebody who is signed in to the console.
 */

const PREFLIGHT_MAX_AGE_S = 600;

const answer = cors({
  origin: (origin) => origin,
  allowMethods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
  // The last three are MCP's: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
  allowHeaders: [
    "authorization",
    "content-type",
    "range",
    "x-request-id",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
  ],
  exposeHeaders: [
    "content-disposition",
    "content-range",
    "link",
    "retry-after",
    "x-file-links",
    "x-file-path",
    "x-request-id",
  ],
  maxAge: PREFLIGHT_MAX_AGE_S,
});

/** Before requireToken: a preflight request has no token. Other origins get the answers that they always get. */
export const allowNamedOrigins: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  const origin = c.req.header("origin");
  if (origin === undefined || !isNamedOrigin(origin, c.env)) return next();
  return answer(c, next);
};

export function isNamedOrigin(origin: string, { CORS_ORIGINS }: Env): boolean {
  return originsIn(CORS_ORIGINS).includes(origin);
}

/** "https://a.example https://b.example": origins as browsers send them, with or without a slash at their end. */
function originsIn(names = ""): string[] {
  return names.split(/\s+/).map((name) => name.replace(/\/$/, "").toLowerCase());
}
