import { type Context, Hono, type Next } from "hono";
import { timestamp } from "../../archive/cdxj.ts";
import { periodOf } from "../../archive/period.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { NEWEST } from "../../crawl/watch/memento.ts";
import { parseHttpDate, toHttpDate } from "../../fetch/request/http-date.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import type { TemplateDeps } from "../../passes/template/open-template.ts";
import { readFormatsAt, readingOf } from "../../reading/records/read-formats.ts";
import { findReplay } from "../../reading/replay/find-replay.ts";
import { partOfUrl } from "../../frontier/shards/whole-crawl.ts";
import { replayBody } from "../../reading/replay/replay-body.ts";
import type { PackedRow, Stores } from "../../store/mirror/read-mirror.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { requireToken } from "../access/auth.ts";
import { hidePrivateCrawls } from "../access/private-crawls.ts";
import { countRequest } from "../access/rate-limit.ts";
import { identityOfReplay, replayKey } from "../access/replay-key.ts";
import { acceptedBy } from "../access/tokens.ts";
import { addressesOf, jsonTimeMap, linkTimeMap, mementoHeaders } from "../changes/memento-links.ts";
import { anyCrawlOf, openHome } from "../crawls/crawl-routes.ts";
import { fileDisposition } from "../exports/file-disposition.ts";
import { MARKDOWN_TYPE, wantsMarkdown } from "../exports/wants-markdown.ts";
import { NOT_MIRRORED_POLICY, notATime, notMirrored } from "../records/not-mirrored.ts";
import { RequestProblem, refusal } from "../requests/request-problem.ts";
import { type ReplayAddress, readReplayAddress, replayPrefix } from "./replay-address.ts";
import { replayHeaders, SHARED } from "./replay-policy.ts";

/**
 * The replay: a mirrored page as it looked at a time, with links into the mirror, and the list of its mementos. A
 * request with a token is redirected to an address with a key, which the sandboxed page uses for all that it loads.
 *
 * Memento (RFC 7089) by pattern 2.2, section 4.2.2, as pywb does: /replay/:id/<url> is the TimeGate. It answers with
 * the memento itself, and `Content-Location` names the address that only this memento has. So does an address with a
 * time that is not exact: its links keep that time, and so show the whole site as it was then.
 */

type Api = Context<{ Bindings: Env }>;

/** The maximum number of mementos in one part of a TimeMap. */
const MAX_IN_TIME_MAP = 1_000;

export const replayRoutes = new Hono<{ Bindings: Env }>();

// A path for each form of address, for the description of the API. The last one has them all.
for (const path of ["/:id/timemap/:format/:url{.+}", "/:id/:time{\\d+}/:url{.+}", "/:id/:url{.+}"])
  replayRoutes.get(path, answerKey, requireToken, answerToken);

async function answerKey(c: Api, next: Next): Promise<Response | undefined> {
  const asked = readReplayAddress(c.req.url);
  if (asked === null || asked.key === null) return void (await next());
  const identity = await identityOfReplay(asked.crawl, asked.key, await acceptedBy(c.env), c.var.deps.clock.now());
  // A user who is signed in gets a new key.
  if (identity === null) return c.redirect(replayPrefix({ ...asked, key: null }) + asked.url, 302);
  await countRequest(c, identity.digest, "replay ");
  hidePrivateCrawls(c, identity);
  openHome(c, asked.crawl);
  const part = await openPart(c, asked);
  return asked.timeMap === null ? replay(c, asked, part) : timeMap(c, asked, part);
}

async function answerToken(c: Api): Promise<Response> {
  const { id } = await anyCrawlOf(c);
  const asked = readReplayAddress(c.req.url);
  if (asked === null) throw refusal(404, "An address of the replay is /replay/CRAWL/URL.");
  const found = { ...asked, crawl: id };
  if (asked.timeMap !== null) return timeMap(c, found, await openPart(c, found));
  if (asked.digits === null) acceptedTime(c);
  const key = await replayKey(id, c.get("identity"), c.var.deps.clock.now());
  const location = replayPrefix({ ...found, key }) + asked.url;
  return c.text(`${location}\n`, 302, { location });
}

/**
 * The crawl of the address, or its part that has the URL, on whose ledger the dependencies of the request then are.
 * Null if there is none.
 */
async function openPart(c: Api, asked: ReplayAddress): Promise<Crawl | null> {
  const crawl = await c.var.deps.ledger.crawl(asked.crawl);
  const url = canonicalize(asked.url);
  if (crawl === null || url === null) return crawl;
  const found = await partOfUrl(crawl, url, c.var.deps);
  if (found !== null) c.set("deps", found.deps);
  return found?.crawl ?? null;
}

/** `asked.crawl` is the entire id. `crawl`: the one that has the page. */
async function replay(c: Api, asked: ReplayAddress, crawl: Crawl | null): Promise<Response> {
  const isTimeGate = asked.digits === null;
  if (isTimeGate) c.header("vary", "accept-datetime");
  const time = asked.digits === null ? acceptedTime(c) : periodOf(asked.digits)?.end;
  const url = canonicalize(asked.url);
  if (url === null || crawl === null) return missing(c, notMirrored(asked.crawl, asked.url, url, null));
  if (time === undefined)
    return missing(c, notATime(asked.digits ?? "", replayPrefix({ ...asked, digits: null }) + url));
  const found = await findReplay(crawl, url, time, c.var.deps);
  if (found.kind === "none") return missing(c, notMirrored(asked.crawl, asked.url, url, found.record));
  const { origin } = new URL(c.req.url);
  const addresses = addressesOf(origin, asked, url);
  const digits = timestamp(found.choice.chosen.time);
  const headers: Record<string, string> = {
    vary: isTimeGate ? "accept, accept-datetime" : "accept",
    ...mementoHeaders(addresses, found.choice),
    ...(asked.digits === digits ? {} : { "content-location": addresses.memento(digits) }),
  };
  const prefix = replayPrefix(asked);
  // The memento of a redirect is a redirect: RFC 7089, section 4.5.4.
  if (found.kind === "redirect") return c.text("", 302, { ...headers, location: prefix + found.target });
  const markdown = wantsMarkdown(c) ? await markdownAt(crawl, url, found.choice.chosen.packed, c.var.deps) : null;
  if (markdown !== null)
    return new Response(markdown, {
      headers: { ...replayHeaders(origin + prefix), ...headers, "content-type": MARKDOWN_TYPE },
    });
  const { body, contentType } = await replayBody(found.page, url, prefix);
  const isFile = kindOf(contentType).replay === "bytes";
  const file: Record<string, string> = isFile ? { "content-disposition": fileDisposition(url, contentType) } : {};
  return new Response(body, {
    headers: { ...replayHeaders(origin + prefix), ...headers, ...file, "content-type": contentType },
  });
}

/** Null for what has no Markdown, such as an image. */
async function markdownAt(
  crawl: Crawl,
  url: string,
  packed: PackedRow | null,
  deps: TemplateDeps & Stores,
): Promise<string | null> {
  const formats = ["markdown"] as const;
  const read = await readFormatsAt(crawl, url, formats, packed, await readingOf(crawl, { formats }, deps));
  return read?.formatted.markdown ?? null;
}

/** The time that a request to the TimeGate accepts, in milliseconds since the Unix epoch. Throws 400. */
function acceptedTime(c: Api): number {
  const value = c.req.header("accept-datetime");
  if (value === undefined) return NEWEST;
  const time = parseHttpDate(value);
  // RFC 7089, section 2.1.1, has one form of dates. RFC 7089, section 4.5.3: 400 for all others.
  if (Number.isNaN(time) || toHttpDate(time) !== value.trim())
    throw new RequestProblem(
      "invalid-request",
      `Accept-Datetime is not a date in the form that it must have, such as: ${toHttpDate(c.var.deps.clock.now())}`,
      "accept-datetime",
    );
  // A memento has the whole second in its address.
  return time + 999;
}

/** `asked.crawl` is the entire id. `crawl`: the one that has the page. */
async function timeMap(
  c: Api,
  { timeMap: format, digits, ...asked }: ReplayAddress,
  crawl: Crawl | null,
): Promise<Response> {
  const url = canonicalize(asked.url);
  if (crawl === null) throw refusal(404, `There is no crawl ${asked.crawl}.`);
  if (url === null) throw refusal(404, `${asked.url} is not an http or https URL.`);
  const from = digits === null ? 0 : periodOf(digits)?.start;
  if (from === undefined) throw refusal(404, `${digits} is not a time: write YYYYMMDDhhmmss.`);
  const found = await c.var.deps.mementos.list(crawl.id, url, { from, limit: MAX_IN_TIME_MAP + 1 });
  if (found.length === 0)
    throw refusal(
      404,
      `Crawl ${asked.crawl} has no memento of ${url}${digits === null ? "" : " from then on"}. /api/versions?url=... lists the crawls that have fetched it.`,
    );
  const page = { digits, mementos: found.slice(0, MAX_IN_TIME_MAP), next: found[MAX_IN_TIME_MAP] ?? null };
  const addresses = addressesOf(new URL(c.req.url).origin, { ...asked, timeMap: null, digits: null }, url);
  if (format === "json") return c.json(jsonTimeMap(addresses, page), 200, SHARED);
  return c.body(linkTimeMap(addresses, page), 200, { ...SHARED, "content-type": "application/link-format" });
}

function missing(c: Api, page: ReturnType<typeof notMirrored>): Response | Promise<Response> {
  return c.html(page, 404, { "content-security-policy": NOT_MIRRORED_POLICY, ...SHARED });
}
