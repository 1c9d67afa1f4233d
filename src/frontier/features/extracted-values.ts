import type { Extracted } from "../../extract/extraction.ts";
import type { Feature } from "./feature.ts";

/**
 * Values that a model finds in pages. A pass asks it when the crawl has ended (passes/extract/); here is what it says.
 */
export const extractedValues: Feature = {
  explain: ({ crawl, record, isAsset }) => {
    if (crawl.options.extract === null || isAsset || record?.status !== "completed") return null;
    const { rule, detail } = describe(record.extracted);
    return { step: { step: "values", ok: true, rule, detail }, refuses: false };
  },
};

function describe(json: string | null): { rule: string; detail: string } {
  if (json === null)
    return { rule: "not-asked", detail: "no model was asked about it yet: that is done when the crawl has ended" };
  const { evidence, problem, model } = JSON.parse(json) as Extracted;
  if (problem !== null) return { rule: "no-values", detail: `there are no values by ${model}: ${problem}` };
  const found = evidence.filter((each) => each.problem === null).length;
  return { rule: "asked", detail: `${model} found ${evidence.length} values, ${found} of them with evidence` };
}
