import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";

/** The door: a bearer token from the API_TOKEN secret; without that secret nothing is let in. */

const encoder = new TextEncoder();

/** Compares digests, so that the time taken says nothing about the tokens. */
async function isSame(a: string, b: string): Promise<boolean> {
  const [x, y] = await Promise.all([a, b].map((text) => crypto.subtle.digest("SHA-256", encoder.encode(text))));
  return crypto.subtle.timingSafeEqual(x as ArrayBuffer, y as ArrayBuffer);
}

export const requireToken: MiddlewareHandler<{ Bindings: Env }> = async (c, next) => {
  const accepted = (c.env.API_TOKEN ?? "").split(/\s+/).filter((token) => token !== "");
  if (accepted.length === 0) {
    throw new HTTPException(503, {
      message: "This installation has no API_TOKEN, so it answers nobody. Set it: wrangler secret put API_TOKEN",
    });
  }
  const given = /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  const matches = await Promise.all(accepted.map((token) => isSame(token, given)));
  if (!matches.includes(true)) {
    throw new HTTPException(401, { message: "Send the token of this installation: Authorization: Bearer TOKEN" });
  }
  await next();
};
