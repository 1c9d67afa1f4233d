import { setTimeout as sleep } from "node:timers/promises";
import type { FormattedRecordView } from "../../api/views.ts";
import { UserError } from "../errors.ts";
import { flagOf } from "../flags/shared-options.ts";
import type { Installation, WhereOptions } from "../installation/installation.ts";
import { type FollowOrder, followFinished } from "../output/follow-finished.ts";
import { commandAt } from "../output/go-on.ts";

/** `orbweaver records ID --follow`: prints each record when its URL finishes, until the crawl ends. */

/** Options of `records` that `--follow` has none of. */
const NOT_FOLLOWED = ["document", "language", "label", "minRelevance", "sort", "descending", "fields", "extract"];

/** Throws UserError. */
export function checkFollowed(flags: object): void {
  const given = NOT_FOLLOWED.filter((name) => (flags as Record<string, unknown>)[name] !== undefined);
  if (given.length === 0) return;
  throw new UserError(
    `--follow takes --status, --with, --raw-text, --clean, --chunk-tokens and --limit. Leave out ${given.map(flagOf).join(", ")}.`,
    2,
  );
}

/** A crawl that nobody works on gets no further, so it is read up to where it is. */
export async function* followRecords(
  id: string,
  order: FollowOrder & { limit?: number },
  { client, isOwn }: Installation,
  place: WhereOptions,
): AsyncGenerator<FormattedRecordView, void> {
  const { limit = Number.POSITIVE_INFINITY, status, formats, rawText, chunkTokens } = order;
  const wait = async (ms: number) => {
    if (!isOwn) return sleep(ms, true);
    console.error(`Nothing works on crawl ${id} now. To go on: ${commandAt(`resume ${id}`, place)}`);
    return false;
  };
  let left = limit;
  for await (const record of followFinished(id, client, { status, formats, rawText, chunkTokens }, wait)) {
    yield record;
    left -= 1;
    if (left === 0) return;
  }
}
