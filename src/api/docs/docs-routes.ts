import { Hono } from "hono";
import { openapi } from "./openapi.ts";

/** /openapi.json. It is open; the console's page /docs shows the same for people. */

export const docsRoutes = new Hono<{ Bindings: Env }>();

docsRoutes.get("/openapi.json", (c) => c.json(openapi()));
