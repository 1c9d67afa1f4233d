import { DocumentWriter } from "../../html/tree/document-writer.ts";
import type { WrittenDocument } from "../../html/tree/written-document.ts";
import type { ZipFile } from "../../kind/zip.ts";
import { readXml } from "../read-xml.ts";
import { mainPart, type Relation, readProperties, readRelations } from "./ooxml-package.ts";
import { PptxSlide } from "./pptx-slide.ts";

/** Reads a presentation, slide by slide, each with its notes. Texts of layouts and masters are left out. */
export function readPptx(zip: ZipFile, type: string): WrittenDocument {
  const packaged = readRelations(zip, "");
  const { metadata } = readProperties(zip, packaged);
  const main = mainPart(zip, packaged);
  const slides = slidesOf(zip, main, readRelations(zip, main));
  const writer = new DocumentWriter();
  for (const slide of slides) {
    if (writer.isFull) break;
    const relations = readRelations(zip, slide);
    const reader = new PptxSlide(writer, relations, false);
    readXml(zip.chunks(slide), reader);
    reader.finish();
    for (const { type, target } of relations.values()) {
      if (type === "diagramData") readXml(zip.chunks(target), new PptxSlide(writer, relations, false));
      if (type !== "notesSlide" || !zip.has(target)) continue;
      writer.startQuote();
      readXml(zip.chunks(target), new PptxSlide(writer, readRelations(zip, target), true));
      writer.endQuote();
    }
  }
  return {
    type,
    encoding: "",
    html: writer.finish(),
    metadata: { ...metadata, pageCount: slides.length },
    truncated: writer.truncated,
  };
}

/** The parts of the slides, in order: ECMA-376 part 1, 19.2.1.34. */
function slidesOf(zip: ZipFile, main: string, relations: ReadonlyMap<string, Relation>): string[] {
  const slides: string[] = [];
  readXml(zip.chunks(main), {
    open(name, attributes) {
      if (name !== "p:sldid") return;
      const relation = relations.get(attributes.get("r:id") ?? "");
      if (relation !== undefined && !relation.isExternal && zip.has(relation.target)) slides.push(relation.target);
    },
    close: () => undefined,
    text: () => undefined,
  });
  return slides;
}
