import type { PageVersion } from "../page-version.ts";
import { boundBlocks, type HostTemplate } from "./host-template.ts";
import { countBlock } from "./template-blocks.ts";
import { learnedHashes } from "./template-hashes.ts";

/** Lets a host's template learn from versions of its pages. */

/** A new version of a page. */
export interface NewVersion {
  /** The version that it replaces; null for a page's first one. */
  before: PageVersion | null;
  after: PageVersion;
  /** Whether `before` was never learned, as it is the page's first version. Absent: it was. */
  isUnknown?: boolean;
}

/**
 * Learns new versions. Each version is to be fed once: when it is told, and never a version that is held or may be none
 * of its page. So a page counts once, with what it says now. Returns a new table.
 */
export function learnVersions(template: HostTemplate, fed: readonly NewVersion[]): HostTemplate {
  const blocks = new Map(Object.entries(template.blocks));
  let { pages, versions } = template;
  for (const { before, after, isUnknown = before === null } of fed) {
    versions += 1;
    if (isUnknown) pages += 1;
    const had = new Set(before === null || isUnknown ? [] : learnedHashes(before));
    const has = new Set(learnedHashes(after));
    for (const hash of has) if (!had.has(hash)) countBlock(blocks, hash, 1);
    for (const hash of had) if (!has.has(hash)) countBlock(blocks, hash, -1);
  }
  return { ...template, pages, versions, blocks: boundBlocks(blocks) };
}
