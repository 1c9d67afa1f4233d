import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import type { PassDeps, PassOrder } from "../pass-run.ts";

/** The examples of a classification, object `examples`. They are written when the pass begins. */

export interface ClassExamples {
  /** Of completed pages, canonical, each once. */
  examples: { url: string; label: string }[];
  /** Given URLs that are no completed pages of the crawl. */
  missing: string[];
  isByMarks: boolean;
}

export function packExamples(examples: ClassExamples): Uint8Array {
  return packJson(examples);
}

export async function readExamples(
  { passObjects }: Pick<PassDeps, "passObjects">,
  order: PassOrder,
): Promise<ClassExamples> {
  return unpackJson<ClassExamples>(await passObjects.bytes(order, "examples"));
}

/** The labels in the order of their names. */
export function labelsOf({ examples }: ClassExamples): string[] {
  return [...new Set(examples.map(({ label }) => label))].sort();
}
