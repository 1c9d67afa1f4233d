import { setTimeout as sleep } from "node:timers/promises";
import { isOpenStatus } from "../../crawl/page/status.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { UserError } from "../errors.ts";
import type { Installation } from "../installation/installation.ts";
import type { ForeignWatch } from "./changedetection.ts";

/** Makes watches of single pages of those of another tool. */

export interface ImportedWatch {
  url: string;
  everyS: number;
  /** Of the watch that was made; null for none. */
  id: string | null;
  lacks: string[];
  /** Why none was made; null if one was, or would be. */
  problem: string | null;
}

/** That of changedetection.io, unless its settings say otherwise. */
const USUAL_S = 10_800;
const LEAST_S = 60;
const FIRST_VISITS_POLL_MS = 500;

/** `make`: false only says what would be made. `everyS`: for watches that name no time of their own. */
export async function importWatches(
  watches: readonly ForeignWatch[],
  { client }: Pick<Installation, "client">,
  {
    make,
    everyS,
    stop,
    tell,
  }: { make: boolean; everyS: number | undefined; stop: AbortSignal; tell: (done: number) => void },
): Promise<ImportedWatch[]> {
  const known = new Map<string, string>();
  for (const { id, status, urls, watching } of await client.crawls())
    if (watching !== null && isOpenStatus(status)) for (const url of urls) known.set(url, id);
  const made: ImportedWatch[] = [];
  for (const watch of watches) {
    if (stop.aborted) break;
    const interval = Math.max(LEAST_S, watch.everyS ?? everyS ?? USUAL_S);
    const one: ImportedWatch = {
      url: watch.url,
      everyS: interval,
      id: null,
      lacks: [...watch.lacks],
      problem: watch.problem,
    };
    const url = canonicalize(watch.url);
    const before = known.get(url ?? "");
    if (before !== undefined) one.problem ??= `watch ${before} has it already`;
    if (one.problem === null && url !== null) {
      if (make) Object.assign(one, await start(watch, interval, client, one.lacks));
      known.set(url, one.id ?? "of this list");
    }
    made.push(one);
    tell(made.length);
  }
  return made;
}

/** Rules that are refused here are left out, and named. */
async function start(
  watch: ForeignWatch,
  everyS: number,
  client: Installation["client"],
  lacks: string[],
): Promise<Pick<ImportedWatch, "id" | "problem">> {
  const { url, headers, ignore, elements, isDrawn } = watch;
  const plain = { url, limit: 1, source: "links", depth: 0, ...(isDrawn ? { render: "auto" } : {}) };
  const fields = Object.fromEntries(elements.map((selector, i) => [`element${i + 1}`, { selector }]));
  const whole = {
    ...plain,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(elements.length === 0 ? {} : { fields: [{ fields }] }),
    watch: { everyS, ignore },
  };
  try {
    return { id: (await client.start(whole)).id, problem: null };
  } catch (error) {
    if (!(error instanceof UserError) || error.exitCode !== 2) throw error;
    try {
      const { id } = await client.start({ ...plain, watch: { everyS } });
      lacks.push(`its rules, which are refused here: ${error.message}`);
      return { id, problem: null };
    } catch (refused) {
      if (!(refused instanceof UserError) || refused.exitCode !== 2) throw refused;
      return { id: null, problem: refused.message };
    }
  }
}

/** Waits until the first visit of each watch is done: on this machine nobody else would do it. */
export async function untilVisited(
  ids: readonly string[],
  { client }: Pick<Installation, "client">,
  stop: AbortSignal,
): Promise<void> {
  const left = new Set(ids);
  while (left.size > 0 && !stop.aborted) {
    for (const { id, status } of await client.crawls()) if (status !== "running") left.delete(id);
    if (left.size > 0) await sleep(FIRST_VISITS_POLL_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}
