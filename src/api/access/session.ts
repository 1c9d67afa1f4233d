import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { signatureOf, signerOf } from "./signature.ts";
import type { Identity } from "./tokens.ts";

/**
 * Sessions of the console: a cookie `EXPIRY.NONCE.SIGNATURE`, signed with the token's digest as the key. It does not
 * reveal the token, nothing has to be stored, and sessions end when their token is removed or loses rights.
 */

const SESSION_LIFETIME_S = 30 * 24 * 60 * 60;

type Api = Context<{ Bindings: Env }>;

/**
 * Browsers accept `__Host-` cookies only over https. On plain http, as on a local machine, all ports of a host share
 * cookies, so the name has the port.
 */
function sessionCookie(c: Api): string {
  return isHttps(c) ? "__Host-orbweaver" : `orbweaver-${new URL(c.req.url).port}`;
}

export async function startSession(c: Api, identity: Identity, now: number): Promise<void> {
  const content = `${Math.floor(now / 1000) + SESSION_LIFETIME_S}.${crypto.randomUUID()}`;
  setCookie(c, sessionCookie(c), `${content}.${await signatureOf("session", content, identity)}`, {
    ...attributes(c),
    maxAge: SESSION_LIFETIME_S,
  });
}

export function endSession(c: Api): void {
  deleteCookie(c, sessionCookie(c), attributes(c));
}

/** The identity of a valid session, else null. Compares with each token, in constant time. */
export async function identityOfSession(c: Api, accepted: readonly Identity[], now: number): Promise<Identity | null> {
  const found = /^((\d{1,12})\.[\w-]{1,64})\.([0-9a-f]{64})$/.exec(getCookie(c, sessionCookie(c)) ?? "");
  if (found === null) return null;
  const [, content = "", expiry, signature = ""] = found;
  const identity = await signerOf("session", content, signature, accepted);
  return Number(expiry) * 1000 > now ? identity : null;
}

/**
 * Whether one of our own pages sent the request. SameSite is not enough: another port of this host is the same site,
 * and old browsers ignore it. A request that changes something must have a header that proves it. A GET may lack these
 * headers, because no other site can read the answer.
 */
export function isOurs(c: Api): boolean {
  const reads = c.req.method === "GET" || c.req.method === "HEAD";
  const site = c.req.header("sec-fetch-site");
  // "none": a typed address or a bookmark.
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
