import type { Discovery, SitemapDiscovery } from "../crawl.ts";
import type { Parcel, Parcels } from "./parcels.ts";

/**
 * Joins what several commits of a part have found for others, so that each of these takes it in one transaction. It
 * then has what it would have if it had taken one list after the other: each URL, sitemap and host once. `all`: the
 * oldest first. By the number of the ledger, the parcels that it takes, in order: nearly always one.
 */
export function mergeParcels(all: readonly Parcels[]): Record<number, Parcel[]> {
  const ledgers = new Set(all.flatMap((parcels) => Object.keys(parcels).map(Number)));
  return Object.fromEntries(
    [...ledgers].map((ledger) => [ledger, mergeLists(all.flatMap((parcels) => parcels[ledger] ?? []))]),
  );
}

function mergeLists(all: readonly Parcel[]): Parcel[] {
  const first = new Map<string, Discovery>();
  // The ledger may know a URL as a page that was found as an asset here, and then a way to the page counts.
  const asPages = new Map<string, Discovery>();
  for (const discovery of all.flatMap((parcel) => parcel.discoveries)) {
    const { url, kind } = discovery;
    const list = kind === "page" && first.get(url)?.kind === "asset" ? asPages : first;
    const known = list.get(url);
    list.set(url, known === undefined ? discovery : nearest(known, discovery));
  }
  const named = new Map<string, SitemapDiscovery>();
  for (const sitemap of all.flatMap(({ sitemaps }) => sitemaps))
    if (!named.has(sitemap.url)) named.set(sitemap.url, sitemap);
  const hosts = [...new Set(all.flatMap((parcel) => parcel.hosts))];
  const merged = { discoveries: [...first.values()], sitemaps: [...named.values()], hosts };
  return asPages.size === 0 ? [merged] : [merged, { discoveries: [...asPages.values()], sitemaps: [], hosts: [] }];
}

/** As the ledger does it: a page with a nearer way gets all that belongs to the way, and nothing else changes. */
function nearest(known: Discovery, other: Discovery): Discovery {
  const dated = { ...known, lastmod: known.lastmod ?? other.lastmod };
  if (known.kind !== "page" || other.kind !== "page" || other.depth >= known.depth) return dated;
  const { depth, via, redirects, chain, cookies } = other;
  return { ...dated, depth, via, redirects, chain, cookies };
}
