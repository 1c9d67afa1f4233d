import { sha256Of } from "../../archive/sha256.ts";
import type { StoredContent } from "../../crawl/page/page-format.ts";
import { answerValues } from "../../extract/answer-values.ts";
import { type Asked, type AskModel, askForValues } from "../../extract/ask-for-values.ts";
import type { Extracted, Extraction } from "../../extract/extraction.ts";
import { type PageText, pageTextOf } from "../../extract/page-text.ts";
import type { InstalledModel } from "../../fetch/model/installed-model.ts";

/** Has a model find the values of one page whose content is there. */

export const NO_TEXT = "it has no text that can be read";

/** `page`: null if the page says nothing, so that nobody is asked. */
export type PageValues =
  | { page: PageText; asked: Exclude<Asked, { kind: "answer" }> }
  | { page: PageText | null; extracted: Extracted };

export async function valuesOfPage(
  url: string,
  { markdown = "", metadata }: StoredContent,
  extraction: Extraction,
  model: InstalledModel,
  ask: AskModel,
): Promise<PageValues> {
  const { name, characters } = model;
  const none = { values: null, evidence: [], model: name, cut: null };
  if (markdown.trim() === "") return { page: null, extracted: { ...none, problem: NO_TEXT } };
  const page = pageTextOf(url, metadata.title, markdown, characters);
  const asked = await askForValues(page, extraction, fenceOf(page), ask);
  if (asked.kind !== "answer") return { page, asked };
  return { page, extracted: answerValues(asked.answer, page, extraction.evidence, name) };
}

/** A page does not have its own hash in it. */
function fenceOf({ text }: PageText): string {
  return sha256Of(new TextEncoder().encode(text)).slice(0, 16);
}
