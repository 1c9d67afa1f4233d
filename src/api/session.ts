import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { signatureOf, signerOf } from "./signature.ts";
import type { Identity } from "./tokens.ts";

/**
 * The session of somebody who signed in at the console: a cookie `EXPIRY.NONCE.SIGNATURE`, signed with the token's digest for a key. The
 * token cannot be had from it, nothing has to be stored, and a token that is taken away or demoted takes its sessions along.
 */

const LIFETIME_S = 30 * 24 * 60 * 60;

type Api = Context<{ Bindings: Env }>;

/**
 * What a browser keeps under `__Host-` came over https from this very host, which plain http on one's own machine cannot promise. There
 * cookies are those of all ports, so an installation names its own.
 */
export function sessionCookie(c: Api): string {
  return isHttps(c) ? "__Host-orbweaver" : `orbweaver-${new URL(c.req.url).port}`;
}

export async function startSession(c: Api, identity: Identity, now: number): Promise<void> {
  const content = `${Math.floor(now / 1000) + LIFETIME_S}.${crypto.randomUUID()}`;
  setCookie(c, sessionCookie(c), `${content}.${await signatureOf("session", content, identity)}`, {
    ...attributes(c),
    maxAge: LIFETIME_S,
  });
}

export function endSession(c: Api): void {
  deleteCookie(c, sessionCookie(c), attributes(c));
}

/** Who signed in, where the request brings a session that is neither forged nor over. Compares with each token, in constant time. */
export async function identityOfSession(c: Api, accepted: readonly Identity[], now: number): Promise<Identity | null> {
  const found = /^((\d{1,12})\.[\w-]{1,64})\.([0-9a-f]{64})$/.exec(getCookie(c, sessionCookie(c)) ?? "");
  if (found === null) return null;
  const [, content = "", expiry, signature = ""] = found;
  const identity = await signerOf("session", content, signature, accepted);
  return Number(expiry) * 1000 > now ? identity : null;
}

/**
 * Whether a page of ours made the request. SameSite keeps the cookie from other sites' requests, but another port of this host is the same
 * site, and a browser may be old. What changes something has to prove it; what only reads, and is silent, is let through: nobody else can
 * read the answer.
 */
export function isOurs(c: Api): boolean {
  const reads = c.req.method === "GET" || c.req.method === "HEAD";
  const site = c.req.header("sec-fetch-site");
  // "none": typed, or out of the bookmarks.
  if (site !== undefined) return site === "same-origin" || (reads && site === "none");
  const origin = c.req.header("origin");
  return origin === undefined ? reads : origin === new URL(c.req.url).origin;
}

function attributes(c: Api) {
  return { path: "/", httpOnly: true, sameSite: "Strict", secure: isHttps(c) } as const;
}

function isHttps(c: Api): boolean {
  return new URL(c.req.url).protocol === "https:";
}
