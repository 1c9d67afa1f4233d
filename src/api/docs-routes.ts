import { Hono } from "hono";
import { openapi } from "./openapi.ts";
import { asset, assetsOf } from "./static-file.ts";

/** /openapi.json, and /docs: Swagger UI, to read the API and try it. Open to everybody; what the page calls needs a token as ever. */

type Api = { Bindings: Env };

/**
 * The page runs the scripts and styles of this origin and no others, asks this origin alone, and takes pictures from its style sheet
 * besides. Nothing inline, no frames, no forms: Swagger UI needs none of them.
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
