import { describeRoutes, describeShapes, type RouteText, type ShapeText } from "../../api/docs/describe-route.ts";
import type { FieldRow } from "../../api/docs/schema-rows.ts";
import { TAGS, titleOf } from "../../api/requests/operation.ts";
import { RouteSection, ShapeSection } from "./route-section.tsx";

/** The sections of the page /docs, and the words by which each is found. */

export interface Section {
  anchor: string;
  /** Its line in the list of contents: a route, or the name of a shape. */
  route: string;
  summary: string;
  html: string;
  /** All its text in lower case. */
  words: string;
}

export interface SectionGroup {
  anchor: string;
  title: string;
  /** A sentence of Markdown. */
  text: string;
  sections: Section[];
}

const SHAPES = { anchor: "shapes", title: "Shapes", text: "The named parts of requests and answers." };

let made: SectionGroup[] | undefined;

/** Made at the first request: everybody may ask for the page, and it takes as long as a hundred others. */
export function reference(): SectionGroup[] {
  if (made !== undefined) return made;
  const shapes = describeShapes();
  const fieldsOf = new Map(shapes.map((shape) => [shape.name, namesOf(shape.fields)]));
  const groups = Object.entries(TAGS).map(([tag, text]) => ({
    anchor: `${tag}-routes`,
    title: titleOf(tag),
    text,
    sections: describeRoutes(tag).map((route) => routeSection(route, fieldsOf)),
  }));
  made = [...groups, { ...SHAPES, sections: shapes.map(shapeSection) }];
  return made;
}

/** The groups with the sections that have all the words. */
export function findSections(q: string): SectionGroup[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return reference()
    .map((group) => ({
      ...group,
      sections: group.sections.filter((section) => words.every((word) => section.words.includes(word))),
    }))
    .filter(({ sections }) => sections.length > 0);
}

/** A route is found by the fields of its body's and its answer's shapes too. */
function routeSection(route: RouteText, fieldsOf: ReadonlyMap<string, string>): Section {
  const { anchor, summary, notes, parameters, body, answers } = route;
  const named = [...(answers.type ?? "").matchAll(/\[(\w+)\]\(#/g)].map(([, name = ""]) => name);
  const shapes = body !== null && "shape" in body ? [body.shape, ...named] : named;
  const fields = [...shapes, ...shapes.map((name) => fieldsOf.get(name) ?? ""), wordsOf(answers.fields)];
  const words = [route.route, summary, ...notes, wordsOf(parameters), answers.says, ...fields];
  const html = String(<RouteSection of={route} />);
  return { anchor, route: route.route, summary, html, words: words.join("\n").toLowerCase() };
}

function shapeSection(shape: ShapeText): Section {
  const { name, fields } = shape;
  const words = `${name}\n${wordsOf(fields)}`.toLowerCase();
  return { anchor: name.toLowerCase(), route: name, summary: "", html: String(<ShapeSection of={shape} />), words };
}

function namesOf(rows: readonly FieldRow[]): string {
  return rows.map(({ name }) => name).join("\n");
}

function wordsOf(rows: readonly FieldRow[]): string {
  return rows.map(({ name, schema }) => `${name}\n${schema.description ?? ""}`).join("\n");
}
