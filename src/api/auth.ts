import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { clockOf } from "../core/clock.ts";
import { countGuess, countRequest, refuseGuesser } from "./rate-limit.ts";
import { identityOfSession, isOurs } from "./session.ts";
import { acceptedBy, type Identity, identityOfToken } from "./tokens.ts";

/**
 * The door: a bearer token (RFC 6750), or the session of somebody who signed in with one at the console, for the console's own pages. Where
 * the installation has no token nobody is let in.
 */

type Api = Context<{ Bindings: Env }>;

declare module "hono" {
  interface ContextVariableMap {
    /** Who was let in. */
    identity: Identity;
  }
}

export const requireToken: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  const identity = c.req.header("authorization") === undefined ? await sessionOf(c) : await bearerOf(c);
  if (identity === null) {
    // RFC 9110 11.6.1: a 401 names the scheme.
    c.header("www-authenticate", "Bearer");
    throw new HTTPException(401, { message: "Send the token of this installation: Authorization: Bearer TOKEN" });
  }
  await countRequest(c, identity.digest);
  c.set("identity", identity);
  if (identity.access === "read" && !isReading(c.req.method, c.req.path)) {
    throw new HTTPException(403, { message: `This token only reads, so it may not ${c.req.method} ${c.req.path}.` });
  }
  await next();
};

/** Whose token this is. Throws 503 where there is none to have, and 429 for an address that tried too many. */
export async function signIn(c: Api, given: string): Promise<Identity | null> {
  const accepted = await accepting(c);
  const identity = await identityOfToken(given, accepted);
  if (identity === null) await countGuess(c);
  return identity;
}

/** Who signed in at the console, as long as one of its own pages asks. What brings no session guesses nothing. */
export async function sessionOf(c: Api): Promise<Identity | null> {
  const accepted = await accepting(c);
  return isOurs(c) ? identityOfSession(c, accepted, clockOf(c.env).now()) : null;
}

function bearerOf(c: Api): Promise<Identity | null> {
  return signIn(c, /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "");
}

async function accepting(c: Api): Promise<Identity[]> {
  const accepted = await acceptedBy(c.env);
  if (accepted.length === 0) {
    throw new HTTPException(503, {
      message: "This installation has no API_TOKEN, so it answers nobody. Set it: wrangler secret put API_TOKEN",
    });
  }
  refuseGuesser(c);
  return accepted;
}

/** POST /api/explain changes nothing: its question is too long for a URL. */
function isReading(method: string, path: string): boolean {
  return method === "GET" || method === "HEAD" || (method === "POST" && path === "/api/explain");
}
