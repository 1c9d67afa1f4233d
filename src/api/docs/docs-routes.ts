import { Hono } from "hono";
import { openapi } from "./openapi.ts";
import { asset, assetsOf } from "./static-file.ts";

/** /openapi.json, and /docs with Swagger UI. Both are open; the requests that the page sends need a token. */

type Api = { Bindings: Env };

/**
 * The page loads scripts and styles only from this origin, and sends requests only to it. Images may also be data URLs
 * of its style sheet. Swagger UI needs no inline scripts, frames or forms.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const FILES = ["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png", "start.js"];

export const docsRoutes = new Hono<Api>();

docsRoutes.get("/openapi.json", (c) => c.json(openapi()));

docsRoutes.get("/docs", async (c) => {
  const page = await asset(c, "/docs/index.html");
  const headers = new Headers(page.headers);
  headers.set("content-security-policy", PAGE_POLICY);
  return new Response(page.body, { status: page.status, headers });
});

docsRoutes.get("/docs/:file", assetsOf("/docs", FILES));
