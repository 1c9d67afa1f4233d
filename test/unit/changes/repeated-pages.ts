import { type CountedLines, countedLines } from "../../../src/changes/template/repeated-text.ts";

/** Pages whose text is their lines, as plain paragraphs. */
export function countAll(pages: readonly string[]): CountedLines[] {
  return pages.map((text) => countedLines({ text, markdown: "", headings: [] }));
}
