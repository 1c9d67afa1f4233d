import { parse, type Selector } from "css-what";
import { parse as parseFormula } from "nth-check"; // css-select reads the formulas of :nth-child with it

/**
 * Finds what is wrong with a selector before a page is there. It loads neither linkedom nor css-select, because
 * requests are checked in a Worker that reads no page.
 */

const MAX_LENGTH = 500;
const PLAIN = new Set(
  (
    "root scope empty first-child last-child first-of-type last-of-type only-child only-of-type any-link link disabled enabled checked " +
    "required optional selected"
  ).split(" "),
);
const FORMULAS = new Set(["nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"]);
const TEXTS = new Set(["contains", "icontains"]);
const SELECTORS = new Set(["is", "matches", "where", "not", "has"]);
const MAX_CHEAP_PARTS = 8;
/** Others look at all siblings, or at the whole page, for each element. Classes and ids are attributes. */
const CHEAP: ReadonlySet<string> = new Set(["tag", "universal", "attribute", "descendant", "child"]);
const COMBINATORS = new Set(["child", "adjacent", "sibling", "descendant"]);

/** Whether a text is a CSS selector, which may have parts that only a browser knows. */
export function isSelector(text: string): boolean {
  return typeof parsed(text) === "object" && text.trim() !== "";
}

/**
 * Why a selector cannot be used, as the end of a sentence; null if it can. Fields are read with a budget of looks.
 * Elements that are `ignored` are looked for in every page, so their selectors have cheap parts alone.
 */
export function selectorProblem(selector: string, use: "fields" | "ignored"): string | null {
  if (selector.trim() === "") return "is empty";
  if (selector.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  const lists = parsed(selector);
  if (typeof lists === "string") return `is not a CSS selector: ${lists}`;
  if (use === "ignored") return costProblem(lists);
  const begins = lists.some(([first]) => first !== undefined && COMBINATORS.has(first.type));
  return begins ? "begins with a combinator" : problemOf(lists);
}

/** The lists of a selector, or what is wrong with it. */
function parsed(selector: string): Selector[][] | string {
  try {
    return parse(selector);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function costProblem(lists: readonly (readonly Selector[])[]): string | null {
  for (const parts of lists) {
    if (parts.length > MAX_CHEAP_PARTS) return `has more than ${MAX_CHEAP_PARTS} parts`;
    const refused = parts.find(({ type }) => !CHEAP.has(type));
    if (refused !== undefined)
      return `has a ${refused.type}; only names, classes, ids, attributes, spaces and > are possible`;
  }
  return null;
}

function problemOf(parsed: readonly (readonly Selector[])[]): string | null {
  for (const parts of parsed)
    for (const part of parts) {
      const problem = partProblem(part);
      if (problem !== null) return problem;
    }
  return null;
}

function partProblem(part: Selector): string | null {
  switch (part.type) {
    case "tag":
    case "attribute":
    case "universal":
      return part.namespace == null ? null : "has a namespace, which HTML has not";
    case "pseudo":
      return pseudoProblem(part.name, part.data);
    case "pseudo-element":
      return `has ::${part.name}, which is no element of the page`;
    case "column-combinator":
      return "has a combinator of columns";
    case "parent":
      return "has <, which is no combinator of CSS";
    default:
      return null;
  }
}

function pseudoProblem(name: string, data: string | Selector[][] | null): string | null {
  if (PLAIN.has(name)) return data === null ? null : `has :${name} with an argument`;
  if (TEXTS.has(name)) return typeof data === "string" && data !== "" ? null : `has :${name} without a text`;
  if (SELECTORS.has(name)) return Array.isArray(data) ? problemOf(data) : `has :${name} without a selector`;
  if (!FORMULAS.has(name)) return `has :${name}, which cannot be told from a stored page`;
  try {
    parseFormula(typeof data === "string" ? data : "");
    return null;
  } catch {
    return `has a wrong formula in :${name}`;
  }
}
