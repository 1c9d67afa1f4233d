import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { Crawl } from "../crawl/crawl.ts";
import type { Deps } from "../frontier/deps.ts";
import { type DeltaPart, exportDelta } from "../reading/export-delta.ts";
import { readingOf } from "./clean-pages.ts";
import { crawlOf } from "./crawl-routes.ts";
import { deltaQuery, formatPlace, readPlace, readSince, viewDelta, viewEnd } from "./delta-schemas.ts";
import { FOREIGN } from "./foreign.ts";
import { nextLink } from "./next-link.ts";
import { streamText } from "./stream-text.ts";

/** GET /api/crawls/:id/delta: what became of a watch's pages since a cursor, as JSON Lines in parts. */

export const deltaRoutes = new Hono<{ Bindings: Env }>();

/**
 * The last line of the last part has the next cursor. A download that breaks off lacks it, so its reader keeps the
 * cursor before and asks again.
 */
deltaRoutes.get("/:id/delta", async (c) => {
  const { since: given, cursor, formats, clean } = deltaQuery.parse(c.req.query());
  const crawl = await crawlOf(c);
  if (crawl.watchingSince === null) throw new HTTPException(409, { message: noWatch(crawl) });
  const since = given === undefined ? null : await readKnown(crawl, given, c.var.deps);
  const reading = await readingOf(crawl, clean, c.var.deps);
  const part = await exportDelta(crawl, { since, place: readPlace(cursor), formats }, reading);
  return new Response(streamText(linesOf(crawl, part)), {
    headers: {
      ...FOREIGN,
      "content-type": "application/x-ndjson",
      ...(part.next === null ? {} : { link: nextLink(c.req.url, formatPlace(part.next)) }),
    },
  });
});

async function* linesOf(crawl: Crawl, { records, next, until }: DeltaPart): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(viewDelta(crawl, record))}\n`;
  if (next === null) yield `${JSON.stringify(viewEnd(crawl, until))}\n`;
}

/** The last change that the reader knows. Throws 410 if the changes after it are not known. */
async function readKnown(crawl: Crawl, given: string, { changes }: Deps): Promise<number> {
  const since = readSince(crawl, given);
  const refuse = (why: string) =>
    new HTTPException(410, {
      message: `${why} Make a full export without a cursor; its last line has a new cursor.`,
    });
  if (since === null) throw refuse(`The cursor ${given} is of another crawl.`);
  if (since > crawl.changes) throw refuse(`The cursor ${given} is of a change that this crawl does not have.`);
  if (!(await changes.hasAllAfter(crawl.id, since)))
    throw refuse(`The cursor ${given} has expired: changes after it were deleted.`);
  return since;
}

function noWatch({ id, options }: Crawl): string {
  return options.watch === null
    ? `This crawl is no watch, so nothing tells what changes. Make it one: orbweaver watch ${id}`
    : "This watch has not ended its first crawl. Until then no cursor can name what changes.";
}
