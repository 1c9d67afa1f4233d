import * as z from "zod";
import type { Viewport } from "../../../crawl/page/page-actions.ts";
import type { Format } from "../../../crawl/page/page-format.ts";
import type { Extraction } from "../../../extract/extraction.ts";
import type { FieldRules } from "../../../media/html/fields/field-rule.ts";
import { extractionShape, hasOne, NEEDS_ONE } from "../../analysis/extraction-request.ts";
import { fieldRules } from "../../analysis/field-rules-request.ts";
import { crawlRequest } from "../../crawls/crawl-request.ts";

/** The formats of a scrape: names, or objects with a `type`. */

/** Formats that are ours too. */
const OWN = ["markdown", "html", "rawHtml", "links", "images"] as const satisfies Format[];
type Own = (typeof OWN)[number];

const NO_WORDS = "is not available: a model finds values here, and writes no text";
/** Why the others are refused, as the end of a sentence. */
const REFUSED: Record<string, string> = {
  summary: NO_WORDS,
  extract: 'is called json since version 2: give {"type": "json", "schema": {...}}',
  question: `${NO_WORDS}: give {"type": "json", "prompt": "..."}`,
  highlights: "is not available: search the stored pages by POST /v2/search",
  query: `${NO_WORDS}: give {"type": "json", "prompt": "..."}`,
  changeTracking: "is not a format here: make a monitor by POST /v2/monitor (or orbweaver watch), and read its changes",
  attributes: 'is not available: give {"type": "json", "rules": {...}}',
  branding: "is not available",
  product: 'is not available: give {"type": "json", "rules": {...}}',
  menu: 'is not available: give {"type": "json", "rules": {...}}',
  audio: "is not available: start a crawl with media by POST /api/crawls",
  video: "is not available: start a crawl with media by POST /api/crawls",
};

const wanted = z.union([
  z
    .string()
    .max(100)
    .transform((type) => ({ type })),
  z.looseObject({ type: z.string().max(100).describe("The name of the format.") }),
]);

export interface WantedFormats {
  formats: Own[];
  /** A picture of the page, and the window in which it is taken; null for none. */
  screenshot: { viewport: Viewport | null } | null;
  /** The rules of the format `json`; null without it. */
  rules: FieldRules | null;
  /** What a model is asked for the format `json`; null without it, and with rules. */
  extraction: Extraction | null;
}

const MAX_FORMATS = 20;

export const formatList = z
  .array(wanted)
  .max(MAX_FORMATS)
  .transform((list, context): WantedFormats => {
    const found: WantedFormats = { formats: [], screenshot: null, rules: null, extraction: null };
    for (const [i, each] of list.entries()) {
      const refuse = (message: string) => context.addIssue({ code: "custom", path: [i], message });
      const { type } = each;
      if (isOwn(type)) {
        if (!found.formats.includes(type)) found.formats.push(type);
      } else if (type === "screenshot" || type === "screenshot@fullPage") {
        const { data, error } = screenshotFormat.safeParse(each);
        if (error !== undefined) refuse(describeIssues(error.issues));
        else found.screenshot = { viewport: data.viewport ?? null };
      } else if (type === "json") {
        if ("rules" in each) {
          const { data, error } = jsonFormat.safeParse(each);
          if (error !== undefined) refuse(describeIssues(error.issues));
          else found.rules = data.rules;
        } else {
          const { data, error } = askedFormat.safeParse(each);
          if (error !== undefined) refuse(describeIssues(error.issues));
          else found.extraction = pickAsked(data);
        }
      } else
        refuse(
          `${JSON.stringify(type)} ${REFUSED[type] ?? `is no format: give ${OWN.join(", ")}, screenshot or json`}`,
        );
    }
    return found;
  });

const screenshotFormat = z.looseObject({
  viewport: z.strictObject(crawlRequest.shape.renderOptions.unwrap().shape.viewport.unwrap().shape).optional(),
});

/** The JavaScript client demands a prompt or a schema. Beside rules they have no effect. */
const jsonFormat = z.looseObject({ rules: fieldRules });

const askedFormat = z.looseObject(extractionShape).refine(hasOne, NEEDS_ONE);
type AskedFormat = z.output<typeof askedFormat>;

/** Without what clients send beside it. */
function pickAsked({ schema, prompt, evidence }: AskedFormat): Extraction {
  return { schema, prompt, evidence };
}

function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
}

function isOwn(type: string): type is Own {
  return OWN.some((own) => own === type);
}
