import type { HtmlDocument } from "../html/tree/linkedom.ts";
import { tidy } from "../html/tree/tidy.ts";
import type { ZipFile } from "../kind/zip.ts";
import { resolvePart } from "../office/ooxml/ooxml-package.ts";
import { readXml } from "../office/read-xml.ts";
import { decodePath, type EpubItem } from "./package.ts";

const MAX_TEXT = 500;

/**
 * The names of items in the table of contents, by their parts: EPUB 3's `nav`, or EPUB 2's `ncx`. They stand for the
 * headings of items that have none. The first name of an item counts.
 */
export function readBookHeadings(zip: ZipFile, contents: EpubItem | null, read: (part: string) => HtmlDocument) {
  const names = new Map<string, { text: string; level: number }>();
  if (contents === null) return names;
  const folder = contents.part.slice(0, contents.part.lastIndexOf("/") + 1);
  const add = (href: string, text: string, level: number) => {
    const part = resolvePart(folder, decodePath(href));
    const name = tidy(text, MAX_TEXT);
    if (name !== "" && !names.has(part)) names.set(part, { text: name, level: Math.min(Math.max(level, 1), 6) });
  };
  if (contents.type.includes("ncx")) readNcx(zip, contents, add);
  else
    for (const element of read(contents.part).all) {
      const href = element.localName === "a" ? element.getAttribute("href") : null;
      if (href !== null) add(href, element.textContent, 1);
    }
  return names;
}

function readNcx(zip: ZipFile, { part }: EpubItem, add: (href: string, text: string, level: number) => void): void {
  let level = 0;
  let text = "";
  let isText = false;
  readXml(zip.chunks(part), {
    open(name, attributes) {
      if (name === "navpoint") {
        level += 1;
        text = "";
      } else if (name === "text") isText = true;
      else if (name === "content") add(attributes.get("src") ?? "", text, level);
    },
    close(name) {
      if (name === "navpoint") level -= 1;
      else if (name === "text") isText = false;
    },
    text(piece) {
      if (isText && text.length < MAX_TEXT) text += piece;
    },
  });
}
