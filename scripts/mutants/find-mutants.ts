import { parseAst } from "vitest/node";
import { swapsOfSql } from "./sql-swaps.ts";
import { FLIPPED, swapsOfNode } from "./swaps.ts";

/** Finds the small changes of a source, each of which a test should notice. */

export interface Mutant {
  /** The line, from 1. */
  line: number;
  /** The mutant's lines, without indentation, as they are and as the mutant has them. */
  before: string;
  after: string;
  /** The source with the change. */
  source: string;
}

/** A change of the characters of a source from `start` up to `end`. */
export interface Swap {
  start: number;
  end: number;
  text: string;
}

/** A node of the syntax tree: ESTree with TypeScript's nodes. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** In the order of their places. */
export function findMutants(source: string): Mutant[] {
  const swaps: Swap[] = [];
  visit(parseAst(source, { lang: "ts" }) as unknown as Node, source, swaps);
  swaps.sort((a, b) => a.start - b.start || a.end - b.end);
  return swaps.map((swap) => mutantOf(source, swap));
}

/** Types change nothing at run time, and what a log says is for people. */
const NOT_VISITED = /^(TS(?!As|Satisfies|NonNull)|ImportDeclaration|ExportAllDeclaration)/;
const LOGS = /^(await )?log[A-Z]\w*\(/;

function visit(node: Node, source: string, swaps: Swap[]): void {
  if (NOT_VISITED.test(node.type)) return;
  if (node.type === "ExpressionStatement" && LOGS.test(source.slice(node.start, node.end))) return;
  swaps.push(...swapsOfNode(node, source));
  if (node.type === "TemplateLiteral") {
    const quasis = (node.quasis as Node[]).map((quasi) => textOf(quasi, source));
    swaps.push(...swapsOfSql(quasis));
  }
  if (node.type === "Literal" && typeof node.value === "string") {
    const text = source.slice(node.start + 1, node.end - 1);
    swaps.push(...swapsOfSql([{ start: node.start + 1, text }]));
    // Statuses outside SQL.
    if (FLIPPED.has(text)) swaps.push({ start: node.start + 1, end: node.end - 1, text: FLIPPED.get(text) ?? "" });
  }
  for (const [field, value] of Object.entries(node)) {
    if (field === "typeAnnotation" || field === "returnType") continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, source, swaps);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

/** The part of a template between two expressions. Its node may include the marks around it. */
function textOf(quasi: Node, source: string): { start: number; text: string } {
  const { raw } = quasi.value as { raw: string };
  return { start: source.indexOf(raw, quasi.start), text: raw };
}

function mutantOf(source: string, { start, end, text }: Swap): Mutant {
  const from = source.lastIndexOf("\n", start - 1) + 1;
  const nextLine = source.indexOf("\n", end);
  const to = nextLine === -1 ? source.length : nextLine;
  return {
    line: source.slice(0, start).split("\n").length,
    before: source.slice(from, to).trim(),
    after: (source.slice(from, start) + text + source.slice(end, to)).trim(),
    source: source.slice(0, start) + text + source.slice(end),
  };
}
