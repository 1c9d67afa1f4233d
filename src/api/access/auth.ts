import type { Context, MiddlewareHandler } from "hono";
import { clockOf } from "../../core/clock.ts";
import { isFirecrawlPath } from "../firecrawl/firecrawl-failure.ts";
import { refusal } from "../requests/request-problem.ts";
import { hidePrivateCrawls } from "./private-crawls.ts";
import { countGuess, countRequest, refuseGuesser } from "./rate-limit.ts";
import { identityOfSession, isOurs } from "./session.ts";
import { acceptedBy, type Identity, identityOfToken } from "./tokens.ts";

/**
 * Authentication: a bearer token (RFC 6750) or, for the console's own pages, the session of a user who signed in with
 * one. An installation without a token refuses all requests.
 */

type Api = Context<{ Bindings: Env }>;

const READING_POSTS = /^\/(?:api\/explain|api\/crawls\/[^/]+\/fields|mcp|v2\/search)$/;

declare module "hono" {
  interface ContextVariableMap {
    /** The identity with which the request was authenticated. */
    identity: Identity;
  }
}

export const requireToken: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  const protocol = watcherToken(c);
  const identity =
    protocol !== null
      ? await signIn(c, protocol)
      : c.req.header("authorization") === undefined
        ? await sessionOf(c)
        : await bearerOf(c);
  if (identity === null) {
    // RFC 9110 11.6.1: a 401 names the scheme.
    c.header("www-authenticate", "Bearer");
    throw refusal(401, "Send the token of this installation: Authorization: Bearer TOKEN");
  }
  await countRequest(c, identity.digest);
  c.set("identity", identity);
  hidePrivateCrawls(c, identity);
  if (identity.access === "read" && !isReading(c.req.method, c.req.path)) {
    throw refusal(403, `This token is read-only, so it may not ${c.req.method} ${c.req.path}.`);
  }
  await next();
};

/**
 * The identity of a token. Throws 503 if the installation has no token, 429 if the address sent too many wrong ones.
 */
export async function signIn(c: Api, given: string): Promise<Identity | null> {
  const accepted = await acceptedTokens(c);
  const identity = await identityOfToken(given, accepted);
  if (identity === null) await countGuess(c);
  return identity;
}

/**
 * The identity of a session, for requests of the console's own pages. A missing session does not count as a wrong
 * token.
 */
export async function sessionOf(c: Api): Promise<Identity | null> {
  const accepted = await acceptedTokens(c);
  return isOurs(c) ? identityOfSession(c, accepted, clockOf(c.env).now()) : null;
}

/** Firecrawl's watchers send their token as the subprotocol of a WebSocket, which takes no other headers. */
function watcherToken(c: Api): string | null {
  if (!isFirecrawlPath(c.req.path) || c.req.header("upgrade")?.toLowerCase() !== "websocket") return null;
  return c.req.header("sec-websocket-protocol") ?? null;
}

function bearerOf(c: Api): Promise<Identity | null> {
  return signIn(c, /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "");
}

async function acceptedTokens(c: Api): Promise<Identity[]> {
  const accepted = await acceptedBy(c.env);
  if (accepted.length === 0) {
    throw refusal(
      503,
      "This installation has no API_TOKEN, so it refuses all requests. Set it: wrangler secret put API_TOKEN",
    );
  }
  refuseGuesser(c);
  return accepted;
}

/**
 * Some POST requests change nothing. They are POST because they are too long for a URL, and Firecrawl's search
 * because its clients send one. A tool of /mcp sends a request of its own with the same token.
 */
function isReading(method: string, path: string): boolean {
  return method === "GET" || method === "HEAD" || (method === "POST" && READING_POSTS.test(path));
}
