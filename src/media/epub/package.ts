import { DocumentProblem } from "../document-problem.ts";
import type { ZipFile } from "../kind/zip.ts";
import { resolvePart } from "../office/ooxml/ooxml-package.ts";
import { readXml } from "../office/read-xml.ts";

/** The package document of an EPUB: what the book says of itself, and its items in reading order. EPUB 3.3, 5. */

export interface EpubItem {
  /** The name of its part. */
  part: string;
  type: string;
  properties: readonly string[];
}

export interface EpubPackage {
  /** The texts of the elements of `metadata`, by their names. A `meta` has the name of its property. */
  said: ReadonlyMap<string, readonly string[]>;
  /** Items in reading order. */
  spine: readonly EpubItem[];
  /** The table of contents of EPUB 3, or of EPUB 2; null if there is none. */
  contents: EpubItem | null;
}

const MAX_ITEMS = 10_000;
const MAX_SAID = 1_000;
const MAX_TEXT = 10_000;

/** Throws DocumentProblem for a book whose items cannot be found. */
export function readPackage(zip: ZipFile): EpubPackage {
  const part = rootFile(zip);
  if (part === null || !zip.has(part)) throw new DocumentProblem("damaged", "it has no package document");
  const folder = part.slice(0, part.lastIndexOf("/") + 1);
  const said = new Map<string, string[]>();
  const items = new Map<string, EpubItem>();
  const order: string[] = [];
  let named = "";
  let text = "";
  readXml(zip.chunks(part), {
    open(name, attributes) {
      text = "";
      named = name === "meta" ? (attributes.get("property") ?? attributes.get("name") ?? "") : name;
      if (name === "meta" && attributes.has("content")) add(said, named, attributes.get("content") ?? "");
      if (name === "item" && items.size < MAX_ITEMS)
        items.set(attributes.get("id") ?? "", {
          part: resolvePart(folder, decodePath(attributes.get("href") ?? "")),
          type: (attributes.get("media-type") ?? "").toLowerCase(),
          properties: (attributes.get("properties") ?? "").split(/\s+/),
        });
      else if (name === "itemref" && order.length < MAX_ITEMS) order.push(attributes.get("idref") ?? "");
    },
    close(name) {
      if (name.startsWith("dc:") || name === "meta") add(said, named, text.trim());
      text = "";
    },
    text(piece) {
      if (text.length < MAX_TEXT) text += piece;
    },
  });
  const spine = [...new Set(order)].flatMap((id) => items.get(id) ?? []);
  const contents =
    [...items.values()].find(({ properties }) => properties.includes("nav")) ??
    [...items.values()].find(({ type }) => type === "application/x-dtbncx+xml") ??
    null;
  return { said, spine, contents };
}

function add(said: Map<string, string[]>, name: string, text: string): void {
  if (text === "" || said.size >= MAX_SAID) return;
  const texts = said.get(name) ?? [];
  if (texts.length < MAX_SAID) texts.push(text);
  said.set(name, texts);
}

/** The first package that the container names. EPUB 3.3, 4.2.6.3.1. */
function rootFile(zip: ZipFile): string | null {
  let path: string | null = null;
  readXml(zip.chunks("META-INF/container.xml"), {
    open(name, attributes) {
      if (name === "rootfile") path ??= attributes.get("full-path") ?? null;
    },
    close: () => undefined,
    text: () => undefined,
  });
  return path ?? [...zip.names].find((name) => name.endsWith(".opf")) ?? null;
}

/** The path of an href as the name of a part: not encoded, without a fragment. */
export function decodePath(href: string): string {
  const path = href.replace(/[#?].*$/s, "");
  try {
    return decodeURIComponent(path);
  } catch {
    // A sign of percent that is no escape.
    return path;
  }
}
