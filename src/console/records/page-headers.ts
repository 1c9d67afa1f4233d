import type { MiddlewareHandler } from "hono";

/** The content security policy of the console: resources and requests of this origin only, no inline code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  // Stored pages, which have a policy of their own.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Of a page that holds a picture of ours, which is stored nowhere. */
const WITH_PICTURE = POLICY.replace("img-src 'self'", "img-src 'self' data:");

export const pageHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  c.header("content-security-policy", c.get("showsOwnPicture") === true ? WITH_PICTURE : POLICY);
  // With "no-referrer" browsers send `Origin: null` with our own forms, and we could not tell them from foreign ones.
  c.header("referrer-policy", "same-origin");
};
