import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { countGuess, countRequest, refuseGuesser } from "./rate-limit.ts";

/**
 * The door: bearer tokens (RFC 6750) from two secrets. Those of API_TOKEN may do everything, those of READ_TOKEN only read; where
 * neither is set nobody is let in.
 */

type Access = "all" | "read";

const encoder = new TextEncoder();

export const requireToken: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  const { API_TOKEN, READ_TOKEN } = c.env;
  // Of a token that stands in both, the first says what it may.
  const accepted = [...tokensOf(API_TOKEN, "all"), ...tokensOf(READ_TOKEN, "read")];
  if (accepted.length === 0) {
    throw new HTTPException(503, {
      message: "This installation has no API_TOKEN, so it answers nobody. Set it: wrangler secret put API_TOKEN",
    });
  }
  refuseGuesser(c);
  const given = /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  const digest = await digestOf(given);
  const access = await accessOf(digest, accepted);
  if (access === null) {
    // What brings no credentials guesses nothing, and must not shut out others at its address.
    if (c.req.header("authorization") !== undefined) await countGuess(c);
    // RFC 9110 11.6.1: a 401 names the scheme.
    c.header("www-authenticate", "Bearer");
    throw new HTTPException(401, { message: "Send the token of this installation: Authorization: Bearer TOKEN" });
  }
  await countRequest(c, digest);
  if (access === "read" && !isReading(c.req.method, c.req.path)) {
    throw new HTTPException(403, { message: `This token only reads, so it may not ${c.req.method} ${c.req.path}.` });
  }
  await next();
};

/** POST /api/explain changes nothing: its question is too long for a URL. */
function isReading(method: string, path: string): boolean {
  return method === "GET" || method === "HEAD" || (method === "POST" && path === "/api/explain");
}

function tokensOf(secret = "", access: Access): { token: string; access: Access }[] {
  return secret
    .split(/\s+/)
    .filter((token) => token !== "")
    .map((token) => ({ token, access }));
}

/** Compares digests, and each of them, so that the time taken says nothing about the tokens. */
async function accessOf(digest: ArrayBuffer, accepted: { token: string; access: Access }[]): Promise<Access | null> {
  const digests = await Promise.all(accepted.map(({ token }) => digestOf(token)));
  const matches = digests.map((each) => crypto.subtle.timingSafeEqual(each, digest));
  return accepted[matches.indexOf(true)]?.access ?? null;
}

function digestOf(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", encoder.encode(text));
}
