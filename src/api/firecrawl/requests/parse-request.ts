import * as z from "zod";
import { requestOf } from "../../requests/fields.ts";
import { hint, hints, refused } from "../firecrawl-fields.ts";
import { lookUpOptions, scrapeOptions } from "./scrape-options.ts";

/** The field `options` of POST /v2/parse: https://docs.firecrawl.dev/api-reference/endpoint/parse */

const { formats, parsers, removeBase64Images, redactPII, skipTlsVerification, blockAds, fastMode } = scrapeOptions;
const { onlyMainContent, includeTags, excludeTags } = lookUpOptions;
const UPLOAD = "an upload is fetched from nowhere";

export const parseOptions = requestOf({
  formats: formats
    .refine(({ screenshot }) => screenshot === null, { message: "an upload is drawn by no browser" })
    .refine(({ rules }) => rules === null, { message: "give a schema or a prompt; rules read the pages of crawls" })
    .describe("As of a scrape, without `screenshot`; `json` with `schema` and `prompt`."),
  ...{ onlyMainContent, includeTags, excludeTags, parsers, removeBase64Images, redactPII, skipTlsVerification },
  ...{ blockAds, fastMode },
  headers: scrapeOptions.headers.describe(`Accepted without effect: ${UPLOAD}.`),
  proxy: scrapeOptions.proxy,
  useMock: scrapeOptions.useMock,
  profile: scrapeOptions.profile,
  auditMetadata: scrapeOptions.auditMetadata,
  timeout: hint(z.int().min(1), "a document is read in some seconds"),
  domainTools: scrapeOptions.domainTools,
  uploadRef: refused("send the file itself, as multipart/form-data"),
  zeroDataRetention: hint(z.boolean(), "nothing of an upload is stored"),
  ...hints,
});
export type ParseOptions = z.output<typeof parseOptions>;
