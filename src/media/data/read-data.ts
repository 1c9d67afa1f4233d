import { canonicalize } from "../../url/canonicalize.ts";
import { decodeHtml } from "../characters/charset.ts";
import { type Content, type ContentFormat, type Document, emptyDocument, type Reader } from "../document.ts";
import { fence } from "../html/markdown/code.ts";
import { documentPartOf, FoundInPage, settlePage } from "../html/page.ts";
import { formatsToMake } from "../kind/formats-to-make.ts";
import { emptyMetadata, plainContent } from "../text/plain-content.ts";
import { countWords } from "../text/word-count.ts";

/**
 * Reads JSON and XML as they are: the text is the content, and a block of code in Markdown. Nothing is parsed, so a
 * broken file is a page too, and no entity is expanded.
 *
 * JSON has no links. Like the strings of a page's scripts, its strings that look like URLs of pages are guesses, and
 * are followed only if the crawl asks for those. XML says only by its vocabulary what a link is, and none is known
 * here. Links in the headers of the answer are followed.
 */
const reader =
  (name: "json" | "xml"): Reader<Document> =>
  (bytes, { url, contentType, headers = [] }, request) => {
    const { text, encoding } = decodeHtml(bytes, contentType);
    const found = new FoundInPage(request);
    if (name === "json") found.scripts?.readScript(text);
    const page = settlePage(found, url, canonicalize, { headers });
    const { formats, mostCharacters } = request;
    const content =
      formats === null ? null : codeContent(text, name, formatsToMake({ formats, mostCharacters }, text.length));
    return { ...emptyDocument(`application/${name}`), ...documentPartOf(page), ids: null, encoding, content };
  };

export const readJson = reader("json");
export const readXml = reader("xml");

/** Words of code are in no language. */
function codeContent(text: string, name: string, formats: readonly ContentFormat[]): Content {
  const metadata = { ...emptyMetadata(), wordCount: countWords(text) };
  return plainContent(text, formats, metadata, () => fence(text, name));
}
