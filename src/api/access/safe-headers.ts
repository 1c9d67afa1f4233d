import type { MiddlewareHandler } from "hono";

/**
 * Default headers of all answers: they are private data, not to be cached, framed or sniffed. A route may set its own.
 */

const ALWAYS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
/** One year (RFC 6797 6.1.1), only for this host. */
const HTTPS_ONLY = "max-age=31536000";

export const safeHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(ALWAYS)) if (!c.res.headers.has(name)) c.header(name, value);
  if (new URL(c.req.url).protocol === "https:") c.header("strict-transport-security", HTTPS_ONLY);
};
