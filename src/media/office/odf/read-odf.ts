import type { Metadata } from "../../document.ts";
import { DocumentProblem } from "../../document-problem.ts";
import { pageDate } from "../../html/facts/page-date.ts";
import { DocumentWriter } from "../../html/tree/document-writer.ts";
import { tidy } from "../../html/tree/tidy.ts";
import type { WrittenDocument } from "../../html/tree/written-document.ts";
import type { ZipFile } from "../../kind/zip.ts";
import { emptyMetadata } from "../../text/plain-content.ts";
import { splitKeywords } from "../ooxml/ooxml-package.ts";
import { readLeaves, readXml } from "../read-xml.ts";
import { OdfBody } from "./odf-body.ts";
import { OdfStyles } from "./odf-styles.ts";

const MAX_TEXT = 1_000;
const HAS_PAGES = /\.(?:presentation|spreadsheet|graphics)/;

/** Reads a text, a spreadsheet, a presentation or a drawing of the OpenDocument format. ODF 1.3 part 2 and 3. */
export function readOdf(zip: ZipFile, type: string): WrittenDocument {
  refuseEncrypted(zip);
  if (!zip.has("content.xml")) throw new DocumentProblem("damaged", "it has no content.xml");
  const { metadata, pages } = readMeta(zip);
  const styles = new OdfStyles();
  styles.read(zip.chunks("styles.xml"));
  const writer = new DocumentWriter();
  const body = new OdfBody(writer, styles);
  readXml(zip.chunks("content.xml"), body);
  const pageCount = HAS_PAGES.test(type) ? body.partCount : pages;
  return {
    type,
    encoding: "",
    html: writer.finish(),
    metadata: { ...metadata, ...(pageCount === null ? {} : { pageCount }) },
    truncated: writer.truncated ?? body.truncated,
    isData: type.includes(".spreadsheet"),
  };
}

/** Throws DocumentProblem for a document with a password. Its parts are encrypted, and its manifest says so. */
function refuseEncrypted(zip: ZipFile): void {
  let isEncrypted = zip.has("encrypted-package");
  readXml(zip.chunks("META-INF/manifest.xml"), {
    open(name) {
      isEncrypted ||= name === "manifest:encryption-data";
    },
    close: () => undefined,
    text: () => undefined,
  });
  if (isEncrypted) throw new DocumentProblem("password", "it has a password");
}

function readMeta(zip: ZipFile): { metadata: Metadata; pages: number | null } {
  const said = new Map<string, string>();
  const keywords: string[] = [];
  let pages = null as number | null;
  readLeaves(zip.chunks("meta.xml"), (name, text, attributes) => {
    if (name === "meta:keyword") keywords.push(text);
    else if (name === "meta:document-statistic") pages = Number(attributes.get("meta:page-count")) || null;
    else said.set(name, said.get(name) || text);
  });
  const get = (name: string) => tidy(said.get(name) ?? "", MAX_TEXT) || null;
  const language = get("dc:language");
  const metadata = {
    ...emptyMetadata(),
    title: get("dc:title"),
    author: get("meta:initial-creator") ?? get("dc:creator"),
    language,
    description: get("dc:description") ?? get("dc:subject"),
    keywords: splitKeywords(keywords.join(",")),
    publishedAt: pageDate(said.get("meta:creation-date") ?? "", language, "own"),
    modifiedAt: pageDate(said.get("dc:date") ?? "", language, "own"),
  };
  return { metadata, pages };
}
