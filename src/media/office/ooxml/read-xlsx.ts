import { DocumentWriter } from "../../html/tree/document-writer.ts";
import type { WrittenDocument } from "../../html/tree/written-document.ts";
import type { ZipFile } from "../../kind/zip.ts";
import { joinPlace } from "../hyperlink.ts";
import { readXml } from "../read-xml.ts";
import { findPart, mainPart, type Relation, readProperties, readRelations } from "./ooxml-package.ts";
import { readCellFormats, readSharedTexts, readWorkbook } from "./xlsx-parts.ts";
import { XlsxSheet } from "./xlsx-sheet.ts";

/** Reads a workbook: the name of each sheet as a heading, and its cells as a table, as they are shown. */
export function readXlsx(zip: ZipFile, type: string): WrittenDocument {
  const packaged = readRelations(zip, "");
  const { metadata } = readProperties(zip, packaged);
  const main = mainPart(zip, packaged);
  const relations = readRelations(zip, main);
  const { sheets, is1904 } = readWorkbook(zip.chunks(main));
  const chunksOf = (type: string) => {
    const part = findPart(zip, relations, type);
    return part === null ? [] : zip.chunks(part);
  };
  const { texts, truncated } = readSharedTexts(chunksOf("sharedStrings"));
  const formatOf = readCellFormats(chunksOf("styles"), is1904);
  const writer = new DocumentWriter();
  let cut = truncated;
  for (const [i, { name, id }] of sheets.entries()) {
    const relation = relations.get(id);
    if (writer.isFull || relation === undefined || relation.isExternal || relation.type !== "worksheet") continue;
    writer.startBlock({ heading: 2 });
    writer.text(name);
    writer.endBlock();
    const links = readCellLinks(zip, relation.target);
    const sheet = new XlsxSheet(writer, { texts, formatOf, links }, i === sheets.length - 1 ? 1 : 0.5);
    readXml(zip.chunks(relation.target), sheet);
    sheet.finish();
    cut ??= sheet.truncated;
  }
  return {
    type,
    encoding: "",
    html: writer.finish(),
    metadata: { ...metadata, pageCount: sheets.length },
    truncated: writer.truncated ?? cut,
    isData: true,
  };
}

const MAX_LINKS = 100_000;

/** Links stand after the rows, so a sheet with links is read twice. */
function readCellLinks(zip: ZipFile, part: string): Map<string, string> {
  const links = new Map<string, string>();
  const relations = readRelations(zip, part);
  if (![...relations.values()].some(({ type }: Relation) => type === "hyperlink")) return links;
  readXml(zip.chunks(part), {
    open(name, attributes) {
      if (name !== "hyperlink" || links.size >= MAX_LINKS) return;
      const relation = relations.get(attributes.get("r:id") ?? "");
      // A place is a cell, and cells have no ids.
      if (relation?.isExternal !== true) return;
      const href = joinPlace(relation.target, attributes.get("location") ?? "");
      const [first = ""] = (attributes.get("ref") ?? "").split(":");
      if (href !== null && first !== "") links.set(first, href);
    },
    close: () => undefined,
    text: () => undefined,
  });
  return links;
}
