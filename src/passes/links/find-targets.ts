import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { compileCrawl } from "../../frontier/context.ts";
import { isReadersLink, type Target, TargetList } from "../../graph/external-targets.ts";
import { decideAsset, decideScope } from "../../scope/scope.ts";
import { hostKey } from "../../url/host-key.ts";
import type { Listed } from "../list-rows.ts";
import { memberGroups } from "../members.ts";
import { type PassDeps, PassEnded, type PassOrder, type PassRun } from "../pass-run.ts";
import { readPages } from "../text/read-pages.ts";
import { openIndex } from "./read-links.ts";

/**
 * Finds what a pass asks for: URLs of other sites that pages link to (object `targets`), and URLs of the site that the
 * crawl did not take (`own-targets`): what pages load, links that are not followed, and links to files that are no
 * pages.
 */

const CPU_MS_PER_PAGE = 0.2;

interface FoundTargets {
  /** Of other sites. */
  targets: Target[];
  leftOut: number;
  /** Of the hosts of the pages that name them. */
  own: Target[];
  ownLeftOut: number;
}

/** URLs of the site that a pass asks for: what pages load, and links that the crawl does not follow. */
const MAX_OWN = 20_000;

/** Returns the numbers of links to URLs beyond the limits of a pass. */
export async function findTargets(run: PassRun, { members }: Listed): Promise<TargetsLeftOut> {
  let ranges = 0;
  for (const { group: range, numbers } of memberGroups(members)) {
    ranges += 1;
    await run.step(`targets ${range}`, "Looking for what to ask for", (deps, order) =>
      readTargets(numbers(), range, deps, order),
    );
  }
  return run.step("join targets", "Joining what to ask for", (deps, order) => joinTargets(ranges, deps, order));
}

async function readTargets(numbers: number[], range: number, deps: PassDeps, order: PassOrder): Promise<null> {
  const index = await openIndex(deps, order);
  const { isOutward, isOwn, isFile, isResource } = compileTargets(await crawlOf(deps, order));
  const asksOthers = order.checkExternal === true;
  const list = new TargetList();
  const own = new TargetList(MAX_OWN);
  for await (const { page } of readPages(numbers, index, deps, order)) {
    const add = (url: string, isWanted: (url: string) => boolean) => {
      if (index.find(url) !== null) return;
      if (hostKey(url) === hostKey(page.url)) {
        if (isWanted(url)) own.add(url);
      } else if (asksOthers && isOutward(url)) list.add(url);
    };
    for (const link of page.links)
      if (isReadersLink(link)) add(link.url, link.nofollow || page.followsNone ? isOwn : isFile);
    for (const { url } of page.audit?.resources ?? []) add(url, isResource);
    deps.meter.add({ cpuMs: CPU_MS_PER_PAGE });
  }
  const { targets, leftOut } = list;
  const found: FoundTargets = { targets, leftOut, own: own.targets, ownLeftOut: own.leftOut };
  await deps.passObjects.put(order, `targets-${range}`, packJson(found));
  return null;
}

async function joinTargets(ranges: number, { passObjects }: PassDeps, order: PassOrder): Promise<TargetsLeftOut> {
  const list = new TargetList();
  const own = new TargetList(MAX_OWN);
  let [leftOut, ownLeftOut] = [0, 0];
  for (let range = 0; range < ranges; range++) {
    const found = unpackJson<FoundTargets>(await passObjects.bytes(order, `targets-${range}`));
    leftOut += found.leftOut;
    ownLeftOut += found.ownLeftOut;
    for (const [url, links] of found.targets) list.add(url, links);
    for (const [url, links] of found.own) own.add(url, links);
  }
  await passObjects.put(order, "targets", packJson(list.targets.map(([url]) => url)));
  await passObjects.put(order, "own-targets", packJson(own.targets.map(([url]) => url)));
  return { external: leftOut + list.leftOut, own: ownLeftOut + own.leftOut };
}

/** Links to URLs that are too many to ask for. */
export interface TargetsLeftOut {
  external: number;
  own: number;
}

/**
 * `isOutward`: whether a URL is outside the crawl because of its host. `isOwn`: whether a link leads to what the crawl
 * would take if it followed it, or to a file. `isFile`: whether the crawl did not take it because its extension says
 * that it is no page. What the crawl's exclude patterns name is not asked.
 */
function compileTargets(crawl: Crawl) {
  // The gate refuses private addresses, and the report counts them.
  const { scope } = compileCrawl(crawl, "all");
  const isOutward = (url: string) => {
    const decision = decideScope(scope, url, 0);
    return !decision.accept && decision.reason === "off-host" && decideAsset(scope, url).accept;
  };
  const isResource = (url: string) => decideAsset(scope, url).accept;
  const isFile = (url: string) => {
    const decision = decideScope(scope, url, 0);
    return !decision.accept && decision.reason === "extension" && isResource(url);
  };
  const isOwn = (url: string) => decideScope(scope, url, 0).accept || isFile(url);
  return { isOutward, isOwn, isFile, isResource };
}

/** Throws PassEnded if the crawl is gone. */
export async function crawlOf({ ledger }: PassDeps, { crawl }: PassOrder): Promise<Crawl> {
  const found = await ledger.crawl(crawl);
  if (found === null) throw new PassEnded("its crawl is gone");
  return found;
}
