import type { StoredContent } from "../../crawl/page/page-format.ts";
import { recognizePage } from "../../media/kind/kinds.ts";
import { emptyMetadata } from "../../media/text/plain-content.ts";
import type { FirecrawlDocument } from "../../notices/firecrawl-document.ts";
import { toDocument } from "../../notices/firecrawl-document.ts";
import { extractContent } from "../../reading/records/extract-values.ts";
import { imagesOf } from "../../reading/records/read-formats.ts";
import { productToken } from "../../robots/product-token.ts";
import type { Installation } from "../crawls/crawl-request.ts";
import { FirecrawlProblem } from "./firecrawl-failure.ts";
import type { ParseDeps } from "./needs.ts";
import { withValues } from "./read-document.ts";
import type { ParseOptions } from "./requests/parse-request.ts";

/** Reads a file that a request brings as the page that it would be. Nothing is stored. */

/** Below the 32 MiB of a call between Workers. */
export const MAX_UPLOAD_BYTES = 26 * 1024 * 1024;
const MAX_NAME = 200;

export async function parseUpload(
  file: File,
  options: ParseOptions,
  { userAgent, documents }: Installation,
  deps: ParseDeps,
): Promise<FirecrawlDocument> {
  const body = new Uint8Array(await file.arrayBuffer());
  const readable = documents.filter((kind) => kind !== "pdf" || options.parsers.length > 0);
  const found = recognizePage(body, file.type || null, readable);
  if ("problem" in found)
    throw unsupported(415, `${file.name || "The file"} is no document that is read: ${found.problem}.`);
  const { formats, extraction } = options.formats;
  if (extraction !== null && typeof deps.model === "string") throw new FirecrawlProblem(400, "BAD_REQUEST", deps.model);
  // Links of a document are relative to where it stood, which nobody knows.
  const url = `https://upload.invalid/${encodeURIComponent(file.name.slice(0, MAX_NAME) || "document")}`;
  const read = async (parts: ("markdown" | "html" | "links" | "text")[], isWhole: boolean) => {
    const { includeTags: include, excludeTags: exclude } = options;
    const selection =
      isWhole || include.length + exclude.length > 0 ? { selection: { isWhole, include, exclude } } : {};
    const request = { url, agent: productToken(userAgent), scriptLinks: false, preferMarkdown: false, parts };
    const stored = { body, contentType: contentTypeOf(file, found.type), headers: [], httpStatus: 200 };
    const json = await deps.readContent(stored, { ...request, ...selection }).catch((error: unknown) => {
      throw unsupported(
        422,
        `${file.name} could not be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    });
    return JSON.parse(new TextDecoder().decode(json)) as StoredContent;
  };
  const content = await read(["markdown", "html", "links", "text"], !options.onlyMainContent);
  const { markdown = "", html = "", links = [], metadata, text = "" } = content;
  const page = { url: file.name, httpStatus: null, title: metadata.title, contentType: found.type, fetchedAt: null };
  const images = formats.includes("images") ? imagesOf((await read(["html"], true)).html ?? "") : null;
  const document = toDocument(
    { ...page, reason: null, detail: null, shell: null, status: "completed" },
    {
      json: { url, ...emptyMetadata(), ...metadata, text },
      ...(formats.includes("markdown") ? { markdown } : {}),
      ...(formats.includes("html") ? { html } : {}),
      ...(formats.includes("links") ? { links: [...links] } : {}),
      ...(images === null ? {} : { images }),
      ...(formats.includes("rawHtml") ? { rawHtml: new TextDecoder().decode(body) } : {}),
    },
  );
  if (extraction === null || typeof deps.model === "string") return document;
  const { extracted, problem } = await extractContent(file.name, content, extraction, deps.model, deps.clock);
  return withValues(document, { values: null, evidence: [], ...extracted, problem });
}

/** What was found out, with the charset that the request names. */
function contentTypeOf({ type }: File, found: string): string {
  return type.toLowerCase().startsWith(found) ? type : found;
}

function unsupported(status: 415 | 422, message: string): FirecrawlProblem {
  return new FirecrawlProblem(status, "SCRAPE_UNSUPPORTED_FILE_ERROR", message);
}
