import { Hono } from "hono";
import { clockOf } from "../../core/clock.ts";
import { identityIn } from "../../fetch/request/identity.ts";
import { DIRECTORY_PATH, keyDirectory } from "../../fetch/request/key-directory.ts";
import { refusal } from "../requests/request-problem.ts";

/** The key directory, at its well-known path. */
export const identityRoutes = new Hono<{ Bindings: Env }>();

identityRoutes.get(DIRECTORY_PATH, async (c) => {
  const identity = identityIn(c.env);
  if (identity === null) throw refusal(404, "This installation does not sign its requests, so it has no keys.");
  const { body, headers } = await keyDirectory(identity, new URL(c.req.url).host, clockOf(c.env).now());
  // Verifiers in a browser may read it.
  headers.set("access-control-allow-origin", "*");
  return new Response(body, { headers });
});
