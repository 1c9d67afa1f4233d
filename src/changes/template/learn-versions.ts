import type { PageVersion } from "../page-version.ts";
import { compileTemplate } from "./compile-template.ts";
import { boundTemplate, type HostTemplate } from "./host-template.ts";
import { countBlock, markDesign } from "./template-blocks.ts";
import { learnedHashes } from "./template-hashes.ts";
import { learnSlots } from "./template-slots.ts";

/** Lets a host's template learn from versions of its pages. */

/** A new version of a page. */
export interface NewVersion {
  /** The version that it replaces; null for a page's first one. */
  before: PageVersion | null;
  after: PageVersion;
  /** Visits since `before` was found, this one included: 1 if the visit before this one found `before`. */
  visits: number;
  /** Whether `before` was never learned, as it is the page's first version. Absent: it was. */
  isUnknown?: boolean;
  /** Whether the visit before this one, some hours ago, found yet another version, which waited for a second look. */
  isSecondLook?: boolean;
}

/** Learns new versions. Each version is to be fed once, and unchanged visits never. Returns a new table. */
export function learnVersions(template: HostTemplate, fed: readonly NewVersion[]): HostTemplate {
  const blocks = new Map(Object.entries(template.blocks));
  const slots = new Map(Object.entries(template.slots));
  const known = compileTemplate(template);
  const counted = { pages: template.pages, versions: template.versions };
  for (const { before, after, visits, isUnknown = before === null, isSecondLook = false } of fed) {
    const since = counted.versions;
    counted.versions += 1;
    if (isUnknown) counted.pages += 1;
    const had = new Set(before === null || isUnknown ? [] : learnedHashes(before));
    const has = new Set(learnedHashes(after));
    for (const hash of has) if (!had.has(hash)) countBlock(blocks, hash, 1, since);
    if (before !== null) markDesign(blocks, has, counted);
    for (const hash of had) if (!has.has(hash)) countBlock(blocks, hash, -1, since);
    if (before !== null) learnSlots(slots, known, { before, after, visits, isSecondLook });
  }
  return boundTemplate({ ...counted, blocks: Object.fromEntries(blocks), slots: Object.fromEntries(slots) });
}
