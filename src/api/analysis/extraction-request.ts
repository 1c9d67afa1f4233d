import * as z from "zod";
import { EVIDENCE_RULES, type Extraction, type ValueSchema } from "../../extract/extraction.ts";
import { schemaProblem } from "../../extract/value-schema.ts";
import { requestOf } from "../requests/fields.ts";

/** What a model is asked about pages, as requests have it. */

const MAX_PROMPT = 4_000;

const schema = z
  .record(z.string(), z.unknown())
  .superRefine((value, context) => {
    const problem = schemaProblem(value);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  })
  .nullable()
  .default(null)
  .describe("A JSON Schema of the values. Each property may be null, whatever it says: a page need not have all.");

const prompt = z
  .string()
  .trim()
  .min(1)
  .max(MAX_PROMPT)
  .nullable()
  .default(null)
  .describe("What is wanted, in words. Without a schema, the model chooses the names of the values.");

const evidence = z
  .enum(EVIDENCE_RULES)
  .default("marked")
  .describe(
    "What becomes of a value whose words do not stand in the page: `marked` leaves it and says so, `strict` makes it null.",
  );

/** The fields of a request. One of schema and prompt is there. */
export const extractionShape = { schema, prompt, evidence };

export const NEEDS_ONE = { path: ["schema"], message: "give a schema, a prompt, or both" };
export const hasOne = ({ schema, prompt }: Pick<Extraction, "schema" | "prompt">) => schema !== null || prompt !== null;

export const extraction = requestOf(extractionShape).refine(hasOne, NEEDS_ONE) as unknown as z.ZodType<
  Extraction,
  Partial<Extraction> & { schema?: ValueSchema | null }
>;
