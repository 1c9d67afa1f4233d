import { checkEvidence } from "./check-evidence.ts";
import type { EvidenceRule, Extracted, ModelAnswer } from "./extraction.ts";
import type { PageText } from "./page-text.ts";

/** The values of a page by a model's answer, which may have been stored. */
export function answerValues(answer: ModelAnswer, page: PageText, rule: EvidenceRule, model: string): Extracted {
  const { problem } = answer;
  const { values, evidence } = problem === null ? checkEvidence(answer, page, rule) : { values: null, evidence: [] };
  return { values, evidence, problem, model, cut: page.cut };
}
