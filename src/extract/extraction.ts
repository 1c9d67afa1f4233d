/** What is asked of a model about a page, and what came of it. */

/** A JSON Schema, as somebody wrote it. */
export type ValueSchema = Readonly<Record<string, unknown>>;

/** `marked`: a value without evidence stays, and says so. `strict`: it is null. */
export const EVIDENCE_RULES = ["marked", "strict"] as const;
export type EvidenceRule = (typeof EVIDENCE_RULES)[number];

/** The values that are wanted. One of `schema` and `prompt` is there. */
export interface Extraction {
  schema: ValueSchema | null;
  /** In words; null for none. */
  prompt: string | null;
  evidence: EvidenceRule;
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The words that a model gives for a value. */
export interface Claim {
  /** A JSON Pointer (RFC 6901) in the values. */
  path: string;
  words: string;
}

/** What a model answered, before its evidence is checked. It is stored, so that nobody pays for it twice. */
export interface ModelAnswer {
  /** Valid by the schema; null if there is no usable answer. */
  values: Json;
  claims: Claim[];
  /** Why there is no usable answer, for people; null if there is one. */
  problem: string | null;
}

/** Where a value comes from. */
export interface Evidence {
  /** A JSON Pointer (RFC 6901) in the values. */
  path: string;
  /** The words of the page, as it writes them; null if there is no evidence. */
  words: string | null;
  /** The part of the page that has them, or `rule` where a rule has read them; null if there is no evidence. */
  in: "page" | "title" | "rule" | null;
  /** Their offset in that part, in UTF-16 code units; null if there is no evidence, and for a rule. */
  at: number | null;
  /** Why there is no evidence, for people; null if there is. */
  problem: string | null;
}

/** The values of a page. */
export interface Extracted {
  values: Json;
  /** One for each value that is not null, in the order of the values. */
  evidence: Evidence[];
  /** Why there are no values, for people; null if there are. */
  problem: string | null;
  /** The name of the model. */
  model: string;
  /** The section whose rules have read them, made of what the model found in other pages; absent: the model did. */
  rules?: { section: string; version: number };
  /** How much of a long page the model saw, in characters; null if it saw all. */
  cut: { sent: number; of: number } | null;
}
