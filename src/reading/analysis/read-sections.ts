import { unpackJson } from "../../core/formats/gzip-json.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { openResult } from "../../passes/sectioned-object.ts";
import type { FoundSections, Sections } from "../../sections/section.ts";
import type { PassResults } from "../needs.ts";

/** Reads the sections of a site from the result of the crawl's last pass. */

/** Null if the crawl was not analyzed yet, or by a version that found none. */
export async function readSections(
  { id }: Pick<Crawl, "id">,
  { passes, passObjects }: PassResults,
): Promise<FoundSections | null> {
  const pass = await passes.lastCompleted(id);
  if (pass === undefined) return null;
  const result = await openResult(pass, passObjects);
  if (result.header.sections.sections === undefined) return null;
  return { analyzedAt: pass.startedAt, ...unpackJson<Sections>(await result.bytes("sections")) };
}
