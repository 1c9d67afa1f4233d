import { Hono } from "hono";

/** /openapi.json. It is open; the console's page /docs shows the same for people. */

export const docsRoutes = new Hono<{ Bindings: Env }>();

docsRoutes.get("/openapi.json", async (c) => {
  // Most isolates are never asked, and it needs the schemas of all answers.
  const { openapi } = await import("./openapi.ts");
  return c.json(openapi());
});
