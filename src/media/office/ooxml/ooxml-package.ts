import type { Metadata } from "../../document.ts";
import { DocumentProblem } from "../../document-problem.ts";
import { pageDate } from "../../html/facts/page-date.ts";
import { tidy } from "../../html/tree/tidy.ts";
import type { ZipFile } from "../../kind/zip.ts";
import { emptyMetadata } from "../../text/plain-content.ts";
import { readLeaves, readXml } from "../read-xml.ts";

/** The parts of an OOXML file, found by their relations. ECMA-376 part 2. */

export interface Relation {
  /** The end of its type: `hyperlink`, `slide`, `notesSlide`. */
  type: string;
  /** The name of a part, or an external target as written. */
  target: string;
  isExternal: boolean;
}

const MAX_TEXT = 1_000;
const MAX_KEYWORDS = 100;
/** A sheet has one for each of its links. */
const MAX_RELATIONS = 50_000;

/** By id. `part`: its name, or empty for those of the package. Nothing if there are none. */
export function readRelations(zip: ZipFile, part: string): Map<string, Relation> {
  const slash = part.lastIndexOf("/") + 1;
  const folder = part.slice(0, slash);
  const relations = new Map<string, Relation>();
  readXml(zip.chunks(`${folder}_rels/${part.slice(slash)}.rels`), {
    open(name, attributes) {
      if (name !== "relationship" || relations.size >= MAX_RELATIONS) return;
      const target = attributes.get("target") ?? "";
      const isExternal = attributes.get("targetmode")?.toLowerCase() === "external";
      const type = (attributes.get("type") ?? "").replace(/^.*\//, "");
      relations.set(attributes.get("id") ?? "", {
        type,
        isExternal,
        target: isExternal ? target : resolvePart(folder, target),
      });
    },
    close: () => undefined,
    text: () => undefined,
  });
  return relations;
}

/** The name of a part that another part in `folder` names. */
export function resolvePart(folder: string, target: string): string {
  const path = target.startsWith("/") ? target : `/${folder}${target}`;
  const names: string[] = [];
  for (const name of path.split("/"))
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  return names.join("/");
}

/** The first part that is related so; null if there is none or it is missing. */
export function findPart(zip: ZipFile, relations: ReadonlyMap<string, Relation>, type: string): string | null {
  for (const relation of relations.values())
    if (relation.type === type && !relation.isExternal && zip.has(relation.target)) return relation.target;
  return null;
}

/** Throws DocumentProblem where a part that the document cannot do without is missing. */
export function mainPart(zip: ZipFile, relations: ReadonlyMap<string, Relation>): string {
  const part = findPart(zip, relations, "officeDocument");
  if (part === null) throw new DocumentProblem("damaged", "it has no main part");
  return part;
}

/** What `docProps/core.xml` and `docProps/app.xml` say: ECMA-376 part 2, 11; part 1, 22.2. */
export function readProperties(
  zip: ZipFile,
  relations: ReadonlyMap<string, Relation>,
): { metadata: Metadata; numbers: ReadonlyMap<string, number> } {
  const said = new Map<string, string>();
  const numbers = new Map<string, number>();
  const core = findPart(zip, relations, "core-properties");
  const app = findPart(zip, relations, "extended-properties") ?? findPart(zip, relations, "extendedProperties");
  if (core !== null) readLeaves(zip.chunks(core), (name, text) => said.set(name, said.get(name) || text));
  if (app !== null)
    readLeaves(zip.chunks(app), (name, text) => {
      if (/^\d{1,9}$/.test(text)) numbers.set(name, Number(text));
    });
  const get = (name: string) => tidy(said.get(name) ?? "", MAX_TEXT) || null;
  const language = get("dc:language");
  return {
    metadata: {
      ...emptyMetadata(),
      title: get("dc:title"),
      author: get("dc:creator"),
      language,
      description: get("dc:description") ?? get("dc:subject"),
      keywords: splitKeywords(said.get("cp:keywords") ?? ""),
      publishedAt: pageDate(said.get("dcterms:created") ?? "", language, "own"),
      modifiedAt: pageDate(said.get("dcterms:modified") ?? "", language, "own"),
    },
    numbers,
  };
}

/** People separate keywords by commas or semicolons. */
export function splitKeywords(written: string): string[] {
  const keywords = written.slice(0, 10 * MAX_TEXT).split(/[,;]/);
  return [...new Set(keywords.map((keyword) => tidy(keyword, 200)).filter((keyword) => keyword !== ""))].slice(
    0,
    MAX_KEYWORDS,
  );
}
