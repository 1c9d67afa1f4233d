import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import type { StoredPage } from "../../crawl/page/outcome.ts";
import { MAX_FOLLOWED_REDIRECTS } from "../../crawl/page/redirect-target.ts";
import { type Memento, type MementoChoice, mementoAt } from "../../crawl/watch/memento.ts";
import { readRenderedPage, type Stores } from "../../store/mirror/read-mirror.ts";
import type { Mementos } from "../../store/watches/mementos.ts";

/** Finds what a replay shows for a URL at a time. */

type Replay =
  | { kind: "page"; page: StoredPage; choice: MementoChoice }
  /** The URL redirected to this one, directly or through others. */
  | { kind: "redirect"; target: string; choice: MementoChoice }
  /** `record`: the URL's record; null if the crawl does not know the URL. */
  | { kind: "none"; record: CrawlUrl | null };

/**
 * `url`: canonical. `time`: in milliseconds since the Unix epoch. Redirects are followed here, at the same time, so
 * that a loop ends.
 */
export async function findReplay(
  crawl: Crawl,
  url: string,
  time: number,
  deps: Stores & { mementos: Mementos },
): Promise<Replay> {
  const choose = async (each: string) => mementoAt(await deps.mementos.around(crawl.id, each, time), time);
  const choice = await choose(url);
  if (choice !== null && choice.chosen.redirectTo === null) {
    // Scripts do not run in a replay, so the answer of a page that a browser drew would be an empty shell.
    const page = await readRenderedPage(crawl, url, deps, choice.chosen.packed);
    if (page !== null) return { kind: "page", page, choice };
  }
  const target = choice === null ? null : await endOfRedirects(url, choice.chosen, choose);
  if (choice !== null && target !== null) return { kind: "redirect", target, choice };
  return { kind: "none", record: await deps.records.get(crawl.id, url) };
}

/** Null for a page, and for redirects that do not end. */
async function endOfRedirects(
  url: string,
  { redirectTo }: Memento,
  choose: (url: string) => Promise<MementoChoice | null>,
): Promise<string | null> {
  const passed = new Set([url]);
  for (let target = redirectTo; target !== null && passed.size <= MAX_FOLLOWED_REDIRECTS; ) {
    if (passed.has(target)) break;
    passed.add(target);
    const next = (await choose(target))?.chosen.redirectTo ?? null;
    if (next === null) return target;
    target = next;
  }
  return null;
}
