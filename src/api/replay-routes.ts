import { type Context, Hono } from "hono";
import { findReplay } from "../reading/replay/find-replay.ts";
import { replayBody } from "../reading/replay/replay-body.ts";
import { canonicalize } from "../url/canonicalize.ts";
import { requireToken } from "./auth.ts";
import { crawlOf } from "./crawl-routes.ts";
import { NOT_MIRRORED_POLICY, notMirrored } from "./not-mirrored.ts";
import { countRequest } from "./rate-limit.ts";
import { identityOfReplay, readReplayAddress, replayKey, replayPrefix } from "./replay-key.ts";
import { replayHeaders, SHARED } from "./replay-policy.ts";
import { acceptedBy } from "./tokens.ts";

/**
 * /replay/:crawl/<url>: a mirrored page as it looked, with links into the mirror. A request with a token is redirected
 * to an address with a key, which the sandboxed page uses for all that it loads.
 */

type Api = Context<{ Bindings: Env }>;

export const replayRoutes = new Hono<{ Bindings: Env }>();

replayRoutes.get(
  "/:id/:url{.+}",
  async (c, next) => {
    const asked = readReplayAddress(c.req.url);
    if (asked === null || asked.key === null) return next();
    const { crawl, key, url } = asked;
    const identity = await identityOfReplay(crawl, key, await acceptedBy(c.env), c.var.deps.clock.now());
    // A user who is signed in gets a new key.
    if (identity === null) return c.redirect(replayPrefix(crawl, null) + url, 302);
    await countRequest(c, identity.digest, "replay ");
    return replay(c, crawl, replayPrefix(crawl, key), url);
  },
  requireToken,
  async (c) => {
    const { id } = await crawlOf(c);
    const asked = readReplayAddress(c.req.url);
    const key = await replayKey(id, c.get("identity"), c.var.deps.clock.now());
    const location = replayPrefix(id, key) + (asked?.url ?? "");
    return c.text(`${location}\n`, 302, { location });
  },
);

async function replay(c: Api, id: string, prefix: string, asked: string): Promise<Response> {
  const url = canonicalize(asked);
  const crawl = await c.var.deps.ledger.crawl(id);
  if (url === null || crawl === null) return missing(c, notMirrored(id, asked, url, null));
  const found = await findReplay(crawl, url, c.var.deps);
  if (found.kind === "redirect") return c.redirect(prefix + found.target, 302);
  if (found.kind === "none") return missing(c, notMirrored(id, asked, url, found.record));
  const { body, contentType } = await replayBody(found.page, url, prefix);
  const headers = { ...replayHeaders(new URL(c.req.url).origin + prefix), "content-type": contentType };
  return new Response(body, { headers });
}

function missing(c: Api, page: ReturnType<typeof notMirrored>): Response | Promise<Response> {
  return c.html(page, 404, { "content-security-policy": NOT_MIRRORED_POLICY, ...SHARED });
}
