import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { compileCrawl } from "../../frontier/context.ts";
import { isReadersLink, type Target, TargetList } from "../../graph/external-targets.ts";
import { decideAsset, decideScope } from "../../scope/scope.ts";
import type { Listed, Member } from "../list-rows.ts";
import { type PassDeps, PassEnded, type PassOrder, type PassRun } from "../pass-run.ts";
import { MEMBERS_PER_STEP, membersFrom, readPages } from "../text/read-pages.ts";
import { openIndex } from "./read-links.ts";

/** Finds the URLs of other sites that pages link to: object `targets`. */

const CPU_MS_PER_PAGE = 0.2;

interface FoundTargets {
  targets: Target[];
  leftOut: number;
}

/** Returns the number of links to URLs beyond the limit of a pass. */
export async function findTargets(run: PassRun, { members }: Listed): Promise<number> {
  let ranges = 0;
  for (let first = 0; first < members; first += MEMBERS_PER_STEP) {
    const range = ranges++;
    await run.step(`targets ${range}`, "Looking for links to other sites", (deps, order) =>
      readTargets(first, range, deps, order),
    );
  }
  return run.step("join targets", "Joining the links to other sites", (deps, order) =>
    joinTargets(ranges, deps, order),
  );
}

async function readTargets(first: number, range: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const index = await openIndex(deps, order);
  const isOutward = compileOutward(await crawlOf(deps, order));
  const members = unpackJson<Member[]>(await deps.passObjects.bytes(order, "members"));
  const list = new TargetList();
  for await (const { page } of readPages(membersFrom(first, members.length), members, index, deps, order)) {
    for (const link of page.links)
      if (isReadersLink(link) && isOutward(link.url) && index.find(link.url) === null) list.add(link.url);
    deps.meter.add({ cpuMs: CPU_MS_PER_PAGE });
  }
  const { targets, leftOut } = list;
  await deps.passObjects.put(order, `targets-${range}`, packJson({ targets, leftOut } satisfies FoundTargets));
  return null;
}

async function joinTargets(ranges: number, { passObjects }: PassDeps, order: PassOrder): Promise<number> {
  const list = new TargetList();
  let leftOut = 0;
  for (let range = 0; range < ranges; range++) {
    const found = unpackJson<FoundTargets>(await passObjects.bytes(order, `targets-${range}`));
    leftOut += found.leftOut;
    for (const [url, links] of found.targets) list.add(url, links);
  }
  await passObjects.put(order, "targets", packJson(list.targets.map(([url]) => url)));
  return leftOut + list.leftOut;
}

/** Whether a URL is outside the crawl because of its host. What the crawl's exclude patterns name is not asked. */
function compileOutward(crawl: Crawl): (url: string) => boolean {
  // The gate refuses private addresses, and the report counts them.
  const { scope } = compileCrawl(crawl, "all");
  return (url) => {
    const decision = decideScope(scope, url, 0);
    return !decision.accept && decision.reason === "off-host" && decideAsset(scope, url).accept;
  };
}

/** Throws PassEnded if the crawl is gone. */
export async function crawlOf({ ledger }: PassDeps, { crawl }: PassOrder): Promise<Crawl> {
  const found = await ledger.crawl(crawl);
  if (found === null) throw new PassEnded("its crawl is gone");
  return found;
}
