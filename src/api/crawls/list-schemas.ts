import * as z from "zod";
import { count, listOf, objectOf, requestOf } from "../requests/fields.ts";

/** The most URLs of one request. The size of its body bounds them too. */
const MAX_URLS = 10_000;

export const listRequest = requestOf({
  urls: z.array(z.string()).max(MAX_URLS).default([]).describe(`More seeds, at most ${MAX_URLS}.`),
  last: z.boolean().default(false).describe("The list is complete: the crawl starts."),
});

export const listView = objectOf({
  added: count.describe("Number of seeds that the crawl did not know."),
  known: count.describe("Number of seeds that it has already, also in another spelling of the same URL."),
  refused: listOf({
    index: count.describe("The place in `urls`, from 0 on."),
    code: z
      .string()
      .describe("What is wrong: `invalid-url`, `too-long`, `private-address`, `ip-address` or `too-many-hosts`."),
    message: z.string().describe("The same in words."),
  }).describe("URLs that cannot be crawled. They are left out."),
  total: count.describe("Number of seeds that the crawl has now."),
  beyondLimit: count.describe(
    "How many of them the page limit leaves out, if all others are pages. `PATCH` gives another.",
  ),
});
export type ListView = z.output<typeof listView>;
