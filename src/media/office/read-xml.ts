import { DocumentProblem } from "../document-problem.ts";
import { XmlTokens } from "../sitemap/xml-tokens.ts";
import { Prefixes } from "./namespaces.ts";

/**
 * Reads a part of a document as its bytes arrive. No tree is made: a sheet of 32 MB has no room in an isolate. Entities
 * of a DOCTYPE are never expanded, and nothing that it names is fetched.
 */

/** Names are in lower case, with the prefixes of namespaces.ts. */
export interface XmlReader {
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  text(part: string): void;
  /** Whether the rest is not needed. */
  readonly isDone?: boolean;
}

/** Characters of an attribute's value. Field instructions and URLs are shorter. */
const MAX_VALUE = 8_192;
/** Honest documents nest some fifty levels: tables in tables, groups of shapes. */
const MAX_DEPTH = 1_000;
/** Of an element. Honest ones have some thirty. */
const MAX_ATTRIBUTES = 200;

/** Throws DocumentProblem for elements nested too deep. */
export function readXml(chunks: Iterable<Uint8Array>, reader: XmlReader): void {
  const prefixes = new Prefixes();
  let depth = 0;
  let attributeCount = 0;
  const tokens = new XmlTokens(
    {
      open(name, attributes) {
        depth += 1;
        attributeCount = 0;
        if (depth > MAX_DEPTH) throw new DocumentProblem("too-complex", `nested deeper than ${MAX_DEPTH} elements`);
        prefixes.learn(attributes);
        if (prefixes.areUsual) reader.open(name, attributes);
        else reader.open(prefixes.rename(name), prefixes.renameAttributes(attributes));
      },
      close(name) {
        depth -= 1;
        reader.close(prefixes.areUsual ? name : prefixes.rename(name));
      },
      text: (part) => reader.text(part),
      doctype: () => undefined,
    },
    // Every name, up to the limit.
    { has: () => ++attributeCount <= MAX_ATTRIBUTES },
    MAX_VALUE,
  );
  let decoder: TextDecoder | null = null;
  for (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    tokens.write(decoder.decode(chunk, { stream: true }));
    if (reader.isDone === true) return;
  }
  tokens.write(decoder?.decode() ?? "");
}

/** Parts of OOXML are in UTF-8 or UTF-16: ECMA-376 part 2, 8.1.4. A few programs write ODF in others; none is known. */
function encodingOf([first, second]: Uint8Array): string {
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return "utf-16be";
  return "utf-8";
}

/** Calls `see` with the text of each element that has no elements in it. For small parts. */
export function readLeaves(
  chunks: Iterable<Uint8Array>,
  see: (name: string, text: string, attributes: ReadonlyMap<string, string>) => void,
): void {
  let text = "";
  let attributes: ReadonlyMap<string, string> = new Map();
  let isLeaf = false;
  readXml(chunks, {
    open(_name, written) {
      text = "";
      attributes = new Map(written);
      isLeaf = true;
    },
    close(name) {
      if (isLeaf) see(name, text.trim(), attributes);
      isLeaf = false;
    },
    text(part) {
      if (text.length < MAX_VALUE) text += part;
    },
  });
}
