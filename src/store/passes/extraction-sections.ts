import type { Evidence, Json } from "../../extract/extraction.ts";
import type { ValueRules } from "../../extract/rules/value-rules.ts";
import type { PatternTree } from "../../sections/pattern-tree.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/** What an extraction knows of the sections of a crawl. */

/** A page that a model has read. */
export interface SampledPage {
  url: string;
  values: { [name: string]: Json };
  evidence: Evidence[];
}

/** Rules of a section, and what they were made of. */
export interface SectionState {
  samples: SampledPage[];
  /** Null before they are made, and where none read all values. */
  rules: ValueRules | null;
  /** Names of values that no rules read. */
  unread: string[];
  /** Other rules have another number. */
  version: number;
  /** Pages that rules have read, each visit counted. */
  read: number;
  /** The model checks the page that makes `read` this number. */
  checkAt: number;
  /** URLs among the siblings of the samples, on which rules are tried. */
  siblings: string[];
  /** No more rules are made: pages are asked about one by one where the rules do not fit. */
  isClosed: boolean;
}

export interface SectionPatterns {
  tree: PatternTree;
  /** The pages of the crawl when they were learned. */
  pages: number;
}

/** The patterns have no section's name. */
const PATTERNS = "";

const WRITE = `
INSERT INTO extraction_sections (crawl, section, state) SELECT id, ?2, ?3 FROM crawls WHERE id = ?1 AND deleting_at IS NULL
ON CONFLICT DO UPDATE SET state = excluded.state`;

export class ExtractionSections extends LedgerStore {
  /** Null before they are learned. */
  async patterns(crawl: string): Promise<SectionPatterns | null> {
    const sql = "SELECT state FROM extraction_sections WHERE crawl = ?1 AND section = ?2";
    const state = await this.value<string>("state", sql, [crawl, PATTERNS]);
    return state === null ? null : (JSON.parse(state) as SectionPatterns);
  }

  async writePatterns(crawl: string, patterns: SectionPatterns): Promise<void> {
    await this.run(WRITE, [crawl, PATTERNS, JSON.stringify(patterns)]);
  }

  /** By the names of the sections. */
  async sections(crawl: string): Promise<Map<string, SectionState>> {
    const sql = "SELECT section, state FROM extraction_sections WHERE crawl = ?1 AND section > ?2 ORDER BY section";
    const rows = await this.all<{ section: string; state: string }>(sql, [crawl, PATTERNS]);
    return new Map(rows.map(({ section, state }) => [section, JSON.parse(state) as SectionState]));
  }

  async write(crawl: string, section: string, state: SectionState): Promise<void> {
    await this.run(WRITE, [crawl, section, JSON.stringify(state)]);
  }
}
