import { unpackJson } from "../../core/formats/gzip-json.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Pass } from "../../crawl/report/pass.ts";
import type { Classification } from "../../topic/classifier/found-labels.ts";
import type { Topics } from "../../topic/clusters/found-topics.ts";
import type { PassResults } from "../needs.ts";

/** Reads the result of the last classification of a crawl, or its topics. */

interface Results {
  classify: Classification;
  topics: Topics;
}

/** Null before the first pass of this kind. */
export async function readTextPass<Kind extends keyof Results>(
  { id }: Pick<Crawl, "id">,
  kind: Kind,
  { passes, passObjects }: PassResults,
): Promise<{ pass: Pass; result: Results[Kind] } | null> {
  const pass = await passes.lastCompleted(id, kind);
  const bytes = pass === undefined ? null : await passObjects.wholeResult(pass);
  if (pass === undefined || bytes === null) return null;
  return { pass, result: unpackJson<Results[Kind]>(bytes) };
}
