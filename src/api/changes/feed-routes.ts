import { type Context, Hono } from "hono";
import { etag } from "hono/etag";
import { nameUuid } from "../../core/name-uuid.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { ledgerOf } from "../../crawl/crawl-id.ts";
import { isPrivate } from "../../crawl/crawl-options.ts";
import type { ChangeKind, TitledChange } from "../../crawl/watch/watch.ts";
import { homeOf } from "../../frontier/ledgers.ts";
import { ATOM_TYPE, writeAtom } from "../../notices/atom-feed.ts";
import type { ChangeFeed } from "../../notices/change-feed.ts";
import { JSON_FEED_TYPE, writeJsonFeed } from "../../notices/json-feed.ts";
import { countGuess, countRequest, refuseGuesser } from "../access/rate-limit.ts";
import { digestOf } from "../access/tokens.ts";
import { crawlOf } from "../crawls/crawl-routes.ts";
import { refusal } from "../requests/request-problem.ts";
import { changePath } from "./change-page.ts";
import type { FeedView } from "./feed-schemas.ts";

/**
 * /feeds/ID.KEY.atom and .json: a watch's newest changes for feed readers, which send no token. The key in the address
 * is random, and reads the feeds of this one crawl. It is stored, because a signature by a token would end with that
 * token, and `serve` makes a new token at each start. A new key revokes the one before.
 */

type Api = Context<{ Bindings: Env }>;

/** Entries of a feed: a reader that asks once a day misses none of a site with fifty changes a day. */
const MAX_ENTRIES = 50;
const KEY_BYTES = 16;
const FILE = /^([0-9a-f-]{36})\.([0-9a-f]{32})\.(atom|json)$/;
const WRITERS = {
  atom: { type: ATOM_TYPE, write: writeAtom },
  json: { type: JSON_FEED_TYPE, write: writeJsonFeed },
};

export const feedRoutes = new Hono<{ Bindings: Env }>();
export const crawlFeedRoutes = new Hono<{ Bindings: Env }>();

/** The bytes follow from the changes alone, so their ETag stands until the next change. */
feedRoutes.get("/:file", etag(), async (c) => {
  refuseGuesser(c);
  const [, id = "", key = "", format] = FILE.exec(c.req.param("file")) ?? [];
  const digest = await digestOf(key);
  // The same reads and the same answer for a crawl that is not there, one without feeds, and a wrong key.
  const { deps } = c.var;
  const home = deps.ledgers.has(ledgerOf(id)) ? homeOf(deps, id) : deps;
  const known = format === undefined ? null : await home.feeds.key(id);
  const isRight = crypto.subtle.timingSafeEqual(digest, await digestOf(known ?? "")) && known !== null;
  const found = isRight ? await home.ledger.crawl(id) : null;
  const crawl = found !== null && isPrivate(found.options) ? null : found;
  if (crawl === null) {
    await countGuess(c);
    throw refusal(404, "There is no such feed, or its address was replaced.");
  }
  await countRequest(c, digest, "feed ");
  const changes = await home.changes.newest(id, {
    before: Number.MAX_SAFE_INTEGER,
    kinds: null,
    limit: MAX_ENTRIES,
  });
  const { type, write } = WRITERS[format as keyof typeof WRITERS];
  // A reader may keep it, and asks whether it is still the same.
  return c.body(write(feedOf(crawl, changes, c.req.url)), 200, { "content-type": type, "cache-control": "no-cache" });
});

crawlFeedRoutes.get("/:id/feed", async (c) => {
  const { id } = await crawlOf(c);
  return c.json({ success: true, result: viewFeed(c, id, await c.var.deps.feeds.key(id)) });
});

/** Makes a feed key, or replaces it. */
crawlFeedRoutes.post("/:id/feed", async (c) => {
  const { id, options } = await crawlOf(c);
  if (isPrivate(options))
    throw refusal(409, "This crawl has read its pages with a session, so it has no feeds unless it is shared.");
  const random = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const key = [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  await c.var.deps.feeds.replaceKey(id, key);
  return c.json({ success: true, result: viewFeed(c, id, key) });
});

function viewFeed(c: Api, crawl: string, key: string | null): FeedView {
  const at = (format: string) => (key === null ? null : new URL(`/feeds/${crawl}.${key}.${format}`, c.req.url).href);
  return { atom: at("atom"), json: at("json") };
}

const SENTENCES: Record<ChangeKind, string> = {
  added: "The page is new.",
  changed: "The page says something else.",
  moved: "The page redirects now:",
  removed: "The page is gone:",
  restored: "The page is there again.",
};

function feedOf(crawl: Crawl, changes: readonly TitledChange[], feedUrl: string): ChangeFeed {
  const { id, options, watchingSince, createdAt } = crawl;
  const absolute = (path: string) => new URL(path, feedUrl).href;
  return {
    id: `urn:uuid:${id}`,
    title: `Changes of ${options.urls[0]}`,
    feedUrl,
    pageUrl: absolute(`/crawls/${id}/changes`),
    updatedAt: changes[0]?.at ?? watchingSince ?? createdAt,
    entries: changes.map(({ seq, kind, url, title, at, detail }) => ({
      ...{ kind, url, title, at },
      id: `urn:uuid:${nameUuid(id, `change ${seq}`)}`,
      summary: detail === null ? SENTENCES[kind].replace(/:$/, ".") : `${SENTENCES[kind]} ${detail}`,
      diffUrl: absolute(changePath(id, { kind, url, at })),
    })),
  };
}
