import type { Crawl } from "../../crawl/crawl.ts";
import type { ExtractedPage, ExtractionState } from "../../reading/records/read-extraction.ts";
import { shownExtracted } from "./extracted-view.ts";
import type { ExtractionView } from "./extraction-schemas.ts";
import { viewModelSpent } from "./model-spent-view.ts";

/** The extraction of a crawl as answers have it. A crawl that does not extract looks for nothing. */
export function viewExtraction(
  { options, ...crawl }: Pick<Crawl, "model" | "modelGaps" | "options">,
  { sections, pages }: ExtractionState,
  asked: ExtractedPage | null,
): ExtractionView {
  const { schema = null, prompt = null, evidence = "marked" } = options.extract ?? {};
  return {
    ...{ schema, prompt, evidence, by: options.extractBy, spent: viewModelSpent({ ...crawl, options }) },
    sections: [...sections].map(([name, { samples, rules, unread, version, read }]) => ({
      section: name,
      samples: samples.map(({ url }) => url),
      rules: Object.entries(rules ?? {}).map(([name, each]) => ({ name, ...each })),
      ...{ unread, version, read },
    })),
    pages: pages.map(({ url, extracted }) => ({ url, extracted: shownExtracted(extracted) })),
    page: asked === null ? null : { ...asked, extracted: shownExtracted(asked.extracted) },
  };
}
