import * as z from "zod";
import { count, objectOf } from "../requests/fields.ts";

/** The requests of IndexNow, as https://www.indexnow.org/documentation has them. Unknown fields are ignored. */

const key = z.string().describe("The owner's key: 8 to 128 letters, digits and dashes. A file on the host holds it.");
const keyLocation = z
  .string()
  .optional()
  .describe("The URL of the key file. The default is `KEY.txt` in the root folder of the host.");

/** By the protocol. */
const MAX_URLS = 10_000;

export const indexnowQuery = z.object({
  url: z.string().describe("The URL that was added, changed or removed."),
  key,
  keyLocation,
});

export const indexnowRequest = z.object({
  host: z.string().describe("The host of all URLs."),
  key,
  keyLocation,
  urlList: z.array(z.string()).min(1).max(MAX_URLS).describe("The URLs that were added, changed or removed."),
});

export const indexnowView = objectOf({
  urls: count.describe("Number of distinct URLs that were received."),
  isKeyChecked: z
    .boolean()
    .describe("Whether the key is known to be valid. Otherwise, its file is read soon, if a watch has the host."),
});
