import { DocumentProblem } from "../document-problem.ts";

/**
 * Takes out of the XML of a feed what no reader needs and what costs feedsmith too much: its parser makes a tree of
 * everything. Each step passes the text once.
 */

interface BoundXml {
  xml: string;
  /** The entries of the whole feed, by their start tags. */
  entries: number;
  /** How many of them are in `xml`. */
  kept: number;
}

/** Tags outside CDATA. As a tree they take some 40 MB of the 128 that an isolate has. */
const MAX_TAGS = 300_000;
/** Characters of one tag: each of its attributes is an object. */
const LONG_TAG = /<[a-z][^<>]{50000}/i;
/** A DOCTYPE begins within so many characters. */
const PROLOG_LENGTH = 8_192;
/** The table of contents of RSS 1.0 begins within so many. */
const HEAD_LENGTH = 100_000;
const CONTENTS = /<(?:[\w.-]{1,50}:)?items(?:\s[^>]{0,200})?>/i;
const CONTENTS_END = /<\/(?:[\w.-]{1,50}:)?items\s{0,50}>/i;
const NAME_START = /<(?:[\w.-]{1,50}:)?(author|managingeditor|webmaster)(?:\s[^>]{0,200})?>/gi;
const MAX_NAME = 2_000;
const TAG = /<(!\[CDATA\[|(?:[\w.-]{1,50}:)?(?:item|entry)(?=[\s>]))?/gi;
const CDATA_END = "]]>";

/** Throws DocumentProblem for a feed that is too large before its second entry. */
export function boundXml(text: string, maxEntries: number): BoundXml {
  const bound = withoutLastEntries(withoutContents(withoutDoctype(text)), maxEntries);
  if (LONG_TAG.test(bound.xml)) throw new DocumentProblem("too-complex", "one of its tags is too long");
  return { ...bound, xml: withoutLongNames(bound.xml) };
}

/** Cuts before an entry. The elements that are open there need no end. */
function withoutLastEntries(xml: string, maxEntries: number): BoundXml {
  let entries = 0;
  let tags = 0;
  /** Where the last entry begins that may be the first one left out, and how many are before it. */
  let cut = { at: xml.length, kept: 0 };
  let isFull = false;
  TAG.lastIndex = 0;
  for (let tag = TAG.exec(xml); tag !== null; tag = TAG.exec(xml)) {
    const [, name] = tag;
    if (name?.startsWith("!")) {
      const end = xml.indexOf(CDATA_END, TAG.lastIndex);
      if (end === -1) break;
      TAG.lastIndex = end + CDATA_END.length;
      continue;
    }
    tags += 1;
    if (name !== undefined) {
      if (!isFull) cut = { at: tag.index, kept: entries };
      entries += 1;
    }
    isFull ||= entries > maxEntries || tags > MAX_TAGS;
  }
  if (!isFull) return { xml, entries, kept: entries };
  if (cut.kept === 0) throw new DocumentProblem("too-complex", `more than ${MAX_TAGS} tags`);
  return { xml: xml.slice(0, cut.at), entries, kept: cut.kept };
}

/** feedsmith's parser refuses some declarations, and no feed needs any. */
function withoutDoctype(xml: string): string {
  const start = xml.slice(0, PROLOG_LENGTH).search(/<!DOCTYPE/i);
  if (start === -1) return xml;
  const bracket = xml.indexOf("[", start);
  const plainEnd = xml.indexOf(">", start);
  const hasSubset = bracket !== -1 && bracket < plainEnd;
  const end = hasSubset ? xml.indexOf(">", xml.indexOf("]", bracket)) : plainEnd;
  return end === -1 ? xml : xml.slice(0, start) + xml.slice(end + 1);
}

/**
 * Without the table of contents of RSS 1.0. Its entries stand in their own order too, and feedsmith searches all of
 * them for each line of the table.
 */
function withoutContents(xml: string): string {
  const start = CONTENTS.exec(xml.slice(0, HEAD_LENGTH));
  if (start === null) return xml;
  const after = start.index + start[0].length;
  const end = CONTENTS_END.exec(xml.slice(after));
  return end === null ? xml : xml.slice(0, start.index) + xml.slice(after + end.index + end[0].length);
}

/**
 * Without names of people that are too long to be names, end tag included. feedsmith looks for brackets in them, which
 * takes the square of their length.
 */
function withoutLongNames(xml: string): string {
  const kept: string[] = [];
  let from = 0;
  NAME_START.lastIndex = 0;
  for (let start = NAME_START.exec(xml); start !== null; start = NAME_START.exec(xml)) {
    const end = new RegExp(`</(?:[\\w.-]{1,50}:)?${start[1]}\\s{0,50}>`, "gi");
    end.lastIndex = NAME_START.lastIndex;
    const found = end.exec(xml);
    const after = found === null ? xml.length : end.lastIndex;
    if (after - start.index > MAX_NAME) {
      kept.push(xml.slice(from, start.index));
      from = after;
    }
    NAME_START.lastIndex = after;
  }
  return from === 0 ? xml : kept.join("") + xml.slice(from);
}
