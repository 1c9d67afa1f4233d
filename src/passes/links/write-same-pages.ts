import { packJson } from "../../core/formats/gzip-json.ts";
import { samePageTarget } from "../../crawl/page/same-page-target.ts";
import type { PassRow } from "../../crawl/url-facts.ts";
import type { HostSamePages } from "../../scope/same-page-rules.ts";
import { hostOf } from "../../url/host-key.ts";
import type { PassDeps, PassOrder } from "../pass-run.ts";
import { MAX_SAME_NAMES, namesOf, SamePageNames, type StoredNames } from "./same-page-names.ts";

/** Gathers the names of same pages (same-page-names.ts): object `same-pages`. */

/** Hosts whose rules are read at once: some kilobytes each. */
const HOSTS_PER_READ = 50;
/** The hosts of a crawl that are looked at. */
const MAX_HOSTS = 2_000;

type NamedRow = Pick<PassRow, "url" | "status" | "reason" | "detail">;

/** Reads the rules of the hosts of these rows, and writes the names. */
export async function writeNames(
  rows: () => AsyncIterable<NamedRow>,
  { samePages, passObjects }: Pick<PassDeps, "samePages" | "passObjects">,
  order: PassOrder,
): Promise<void> {
  const hosts = new Set<string>();
  const refused: StoredNames["refused"] = [];
  let node = 0;
  for await (const row of rows()) {
    if (hosts.size < MAX_HOSTS) hosts.add(hostOf(row.url));
    const target = samePageTarget(row);
    if (target !== null && refused.length < MAX_SAME_NAMES) refused.push([node, target]);
    node += 1;
  }
  const names: StoredNames = { hosts: [], refused, stored: [] };
  const all = [...hosts];
  for (let at = 0; at < all.length; at += HOSTS_PER_READ)
    for (const [host, learned] of await samePages.read(order.crawl, all.slice(at, at + HOSTS_PER_READ)))
      names.hosts.push([host, withoutEvidence(learned)]);
  if (names.hosts.length > 0) names.stored = await storedNames(names, rows);
  await passObjects.put(order, "same-pages", packJson(names));
}

async function storedNames(names: StoredNames, rows: () => AsyncIterable<NamedRow>) {
  const found = new Map<string, number>();
  const reading = new SamePageNames(names);
  let node = 0;
  for await (const { url, status } of rows()) {
    const reduced = status === "completed" ? reading.reduce(url) : null;
    if (reduced !== null && !found.has(reduced) && found.size < MAX_SAME_NAMES) found.set(reduced, node);
    node += 1;
  }
  return [...found];
}

/** What rules are applied with. The evidence is most of what is stored of them. */
function withoutEvidence({ rules }: HostSamePages): HostSamePages {
  const slim = Object.entries(rules).map(([key, rule]) => [key, { ...rule, counted: [], examples: [] }]);
  return { rules: Object.fromEntries(slim), noise: [], controls: 0 };
}

export async function readNames(
  { passObjects }: Pick<PassDeps, "passObjects">,
  order: PassOrder,
): Promise<SamePageNames> {
  return namesOf(await passObjects.bytes(order, "same-pages"));
}
