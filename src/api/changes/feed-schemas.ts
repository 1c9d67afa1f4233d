import * as z from "zod";
import { objectOf } from "../requests/fields.ts";

/** Answers of /api/crawls/:id/feed. */

export const feedView = objectOf({
  atom: z.string().nullable().describe("The address of the Atom feed. null: the crawl has no feed key yet."),
  json: z.string().nullable().describe("The address of the JSON Feed, likewise."),
});
export type FeedView = z.output<typeof feedView>;
