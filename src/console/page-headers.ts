import type { MiddlewareHandler } from "hono";

/** What a browser may do with a page of the console: scripts, styles, pictures and calls of this origin alone, and nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  // A mirrored page, which comes with a policy of its own.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

export const pageHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  c.header("content-security-policy", POLICY);
  // With "no-referrer" a browser says `Origin: null` of our own forms, by which they could not be told from others'.
  c.header("referrer-policy", "same-origin");
};
