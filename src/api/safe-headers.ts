import type { MiddlewareHandler } from "hono";

/** What every answer of ours tells a browser and a cache, unless the route knows better: it is data, for the one who asked, and stays here. */

const ALWAYS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
/** A year (RFC 6797 6.1.1), for this host alone. */
const HTTPS_ALONE = "max-age=31536000";

export const safeHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(ALWAYS)) if (!c.res.headers.has(name)) c.header(name, value);
  if (new URL(c.req.url).protocol === "https:") c.header("strict-transport-security", HTTPS_ALONE);
};
