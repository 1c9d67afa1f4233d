import * as z from "zod";
import { count, objectOf } from "../requests/fields.ts";
import { extractedView } from "./extracted-view.ts";
import { modelSpentView } from "./model-spent-view.ts";

/** The extraction of a crawl, as it stands. */

export const extractionQuery = z.object({
  url: z.string().optional().describe("A page of the crawl, whose text is to be in the answer."),
});

const rule = objectOf({
  schema: z.string().optional().describe("A path in JSON-LD and microdata. It goes before the selector."),
  selector: z.string().optional().describe("A CSS selector."),
  attribute: z.string().optional().describe("The attribute that holds the value."),
  as: z.string().optional().describe("The type of the value."),
});

const section = objectOf({
  section: z.string().describe("The pattern of the URLs of the section."),
  samples: z.array(z.string()).describe("Pages that the model has read for its rules."),
  rules: z
    .array(
      objectOf({
        name: z.string().describe("The name of the value."),
        rules: z.array(rule).describe("The first that gives a value counts."),
        words: z
          .record(z.string(), z.unknown())
          .nullable()
          .describe("By the words that the rule reads, the values. null: the value is what it reads."),
        isRequired: z.boolean().describe("Whether each page has it, as far as the samples show."),
      }),
    )
    .describe("How rules read the values. Empty: they are not made yet, or none read all values."),
  unread: z.array(z.string()).describe("Values that no rule reads, so that the model reads each page."),
  version: count.describe("How often the rules were made."),
  read: count.describe("Pages that the rules have read, each visit counted."),
});

const page = objectOf({
  url: z.string().describe("The URL of the page."),
  extracted: extractedView.describe("What was found."),
});

export const extractionView = objectOf({
  schema: z.unknown().describe("The JSON Schema of the values. null: there is none."),
  prompt: z
    .string()
    .nullable()
    .describe("What is wanted, in words. null: the schema says it, or the crawl does not extract."),
  evidence: z.string().describe("What becomes of a value without evidence: `marked` or `strict`."),
  by: z.string().describe("`rules`: rules are made where they can be. `model`: the model reads each page."),
  spent: modelSpentView,
  sections: z.array(section).describe("Sections for which rules are made, by their names."),
  pages: z.array(page).describe("Up to 20 pages with what was found: those that the model has read first."),
  page: page
    .extend({
      title: z.string().nullable().describe("The title of the page."),
      text: z.string().nullable().describe("The Markdown that the model saw. null: it is not stored any more."),
    })
    .nullable()
    .describe("The page that `url` asks for. null: none, or nothing was found in it yet."),
});
export type ExtractionView = z.output<typeof extractionView>;
