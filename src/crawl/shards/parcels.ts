import type { Discovery, SitemapDiscovery } from "../crawl.ts";
import { ledgerOfUrl, type Shards } from "./shards.ts";

/** What the parts of a crawl over several ledgers find for each other. */

/** What a part finds for another one. */
export interface Parcel {
  discoveries: Discovery[];
  sitemaps: SitemapDiscovery[];
  /** `URL.host` values that a seed redirected to. */
  hosts: string[];
}

/** By the number of the ledger. */
export type Parcels = Record<number, Parcel>;

/** Divides what a part has found. `hosts` go to all. */
export function divideByShard(found: Parcel, own: number, shards: Shards): { own: Parcel; others: Parcels } {
  const others: Parcels = {};
  const parcelFor = (ledger: number) => {
    others[ledger] ??= { discoveries: [], sitemaps: [], hosts: [] };
    return others[ledger];
  };
  const kept: Parcel = { discoveries: [], sitemaps: [], hosts: found.hosts };
  for (const discovery of found.discoveries) {
    const ledger = ledgerOfUrl(discovery.url, shards);
    (ledger === own ? kept : parcelFor(ledger)).discoveries.push(discovery);
  }
  for (const sitemap of found.sitemaps) {
    const ledger = ledgerOfUrl(sitemap.url, shards);
    (ledger === own ? kept : parcelFor(ledger)).sitemaps.push(sitemap);
  }
  if (found.hosts.length > 0)
    for (const ledger of shards.ledgers) if (ledger !== own) parcelFor(ledger).hosts.push(...found.hosts);
  return { own: kept, others };
}

/** Discoveries of a row of the outbox. Its text stays far below the 2 MB of a value of D1. */
const MOST_DISCOVERIES = 200;

/** Divides what is for others into rows of the outbox. */
export function splitParcels(parcels: Parcels): Parcels[] {
  const parts: Parcels[] = [];
  let room = 0;
  const parcelFor = (ledger: number): Parcel => {
    if (room === 0) {
      parts.push({});
      room = MOST_DISCOVERIES;
    }
    room -= 1;
    const last = parts.at(-1) as Parcels;
    last[ledger] ??= { discoveries: [], sitemaps: [], hosts: [] };
    return last[ledger];
  };
  for (const [key, { discoveries, sitemaps, hosts }] of Object.entries(parcels)) {
    const ledger = Number(key);
    // A host joins before what was found there.
    for (const host of hosts) parcelFor(ledger).hosts.push(host);
    for (const discovery of discoveries) parcelFor(ledger).discoveries.push(discovery);
    for (const sitemap of sitemaps) parcelFor(ledger).sitemaps.push(sitemap);
  }
  return parts;
}
