import * as z from "zod";

/** The values of fields, as answers have them. */

export const fieldValue = z.union([z.string(), z.number(), z.array(z.string())]);
