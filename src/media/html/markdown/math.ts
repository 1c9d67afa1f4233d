import type { ContentNode } from "../article/content-tree.ts";
import { ContentElement, ContentText, elementsIn } from "../article/content-tree.ts";

/**
 * Writes mathematics as TeX between dollars, as GitHub, Pandoc and MathJax read it: from the TeX that the page has
 * beside its MathML, else from the MathML itself. https://www.w3.org/TR/mathml-core/
 */

const TEX = /^application\/x-tex|^(?:text|math)\/(?:x-)?(?:la)?tex$|^tex$/i;
/** Wikipedia shows formulas as images whose text is TeX. */
const MATH_IMAGE = /(?:^|\s)mwe-math-fallback-image/;
const STYLE = /^\{\\(?:display|text)style (.*)\}$/;
/** Characters that mean something else in TeX. */
const SPECIAL = /[#$%&_{}]/g;
const SYMBOLS = new Map([
  ["\u2061", ""],
  ["\u2062", ""],
  ["\u2063", ""],
  ["\u2212", "-"],
  ["±", "\\pm"],
  ["×", "\\times"],
  ["÷", "\\div"],
  ["⋅", "\\cdot"],
  ["·", "\\cdot"],
  ["≤", "\\le"],
  ["≥", "\\ge"],
  ["≠", "\\ne"],
  ["≈", "\\approx"],
  ["≡", "\\equiv"],
  ["∞", "\\infty"],
  ["∑", "\\sum"],
  ["∏", "\\prod"],
  ["∫", "\\int"],
  ["∂", "\\partial"],
  ["∇", "\\nabla"],
  ["∈", "\\in"],
  ["∉", "\\notin"],
  ["⊂", "\\subset"],
  ["∪", "\\cup"],
  ["∩", "\\cap"],
  ["∀", "\\forall"],
  ["∃", "\\exists"],
  ["→", "\\to"],
  ["⇒", "\\Rightarrow"],
  ["…", "\\dots"],
]);
const ACCENTS = new Map([
  ["¯", "\\overline"],
  ["‾", "\\overline"],
  ["^", "\\hat"],
  ["~", "\\tilde"],
  ["˙", "\\dot"],
  ["\\to", "\\vec"],
]);
/** Elements whose children have a place each. */
const WITH_PARTS = new Set("mfrac mroot msub munder mover msup msubsup munderover".split(" "));
const FUNCTIONS = new Set(
  "arccos arcsin arctan cos cosh cot det exp gcd lim ln log max min mod sin sinh tan tanh".split(" "),
);

export function isMathImage({ localName, className }: ContentElement): boolean {
  return localName === "img" && MATH_IMAGE.test(className);
}

/** A formula in another one is part of it. Settled by itself, its TeX would be escaped once more by each around it. */
export function isInMath(element: ContentElement): boolean {
  for (let above = element.parentNode; above !== null; above = above.parentNode)
    if (above.localName === "math") return true;
  return false;
}

/** Makes a `math` element, or an image of a formula, one whose only text is TeX between dollars. */
export function settleMath(math: ContentElement): void {
  const isBlock = math.getAttribute("display") === "block";
  const tex = tidyTex(writtenTex(math) ?? join(childrenOf(math)));
  while (math.firstChild !== null) math.firstChild.remove();
  math.localName = "math";
  math.tagName = "MATH";
  math.attributes = [];
  fill(math, tex, isBlock);
}

/** Returns null for an empty formula. */
export function texElement(written: string, isBlock: boolean): ContentElement | null {
  const tex = tidyTex(written);
  if (tex === "") return null;
  const math = new ContentElement("math");
  fill(math, tex, isBlock);
  return math;
}

function fill(math: ContentElement, tex: string, isBlock: boolean): void {
  if (tex === "") return;
  const marks = isBlock ? "$$" : "$";
  math.append(new ContentText(`${marks}${tex}${marks}`));
}

function tidyTex(written: string): string {
  const tex = written
    .replace(/^\s*<!\[CDATA\[|\]\]>\s*$/g, "")
    .replace(/(^|[^\\])%.*$/gm, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return STYLE.exec(tex)?.[1]?.trim() ?? tex;
}

function writtenTex(math: ContentElement): string | null {
  const alt = math.getAttribute("alttext") ?? math.getAttribute("alt");
  if (alt !== null && alt.trim() !== "") return alt;
  for (const element of elementsIn(math))
    if (element.localName === "annotation" && TEX.test(element.getAttribute("encoding") ?? ""))
      return element.textContent;
  return null;
}

function childrenOf(element: ContentElement): string[] {
  return element.childNodes.map(texOf).filter((tex) => tex !== "");
}

function texOf(node: ContentNode): string {
  if (node.nodeType === 3) return node.data.trim().replace(SPECIAL, "\\$&");
  const { localName } = node;
  if (localName === "annotation") return "";
  if (localName === "mi") return identifier(node.textContent.trim());
  if (localName === "mo") return operator(node.textContent.trim());
  if (localName === "mtext" || localName === "ms") return `\\text{${node.textContent.replace(SPECIAL, "\\$&")}}`;
  if (localName === "mspace") return "\\ ";
  if (localName === "mtable") return `\\begin{matrix}${childrenOf(node).join(" \\\\ ")}\\end{matrix}`;
  if (localName === "mtr") return childrenOf(node).join(" & ");
  if (localName === "mfenced") return `(${childrenOf(node).join(",")})`;
  if (localName === "msqrt") return `\\sqrt{${join(childrenOf(node))}}`;
  return WITH_PARTS.has(localName) ? withParts(localName, node.children.map(texOf)) : join(childrenOf(node));
}

function withParts(name: string, [first = "", second = "", third = ""]: readonly string[]): string {
  if (name === "mfrac") return `\\frac{${first}}{${second}}`;
  if (name === "mroot") return `\\sqrt[${second}]{${first}}`;
  if (name === "msub" || name === "munder") return `${group(first)}_{${second}}`;
  if (name === "mover" && ACCENTS.has(second)) return `${ACCENTS.get(second)}{${first}}`;
  if (name === "msup" || name === "mover") return `${group(first)}^{${second}}`;
  return `${group(first)}_{${second}}^{${third}}`;
}

function identifier(name: string): string {
  if (FUNCTIONS.has(name)) return `\\${name}`;
  const escaped = SYMBOLS.get(name) ?? name.replace(SPECIAL, "\\$&");
  return name.length > 1 && /^[a-z]+$/i.test(name) ? `\\mathrm{${name}}` : escaped;
}

function operator(written: string): string {
  return SYMBOLS.get(written) ?? (FUNCTIONS.has(written) ? `\\${written}` : written.replace(SPECIAL, "\\$&"));
}

/** A space ends the name of a command before a letter. */
function join(parts: readonly string[]): string {
  return parts
    .map((part, at) => (/^\\[a-z]+$/i.test(parts[at - 1] ?? "") && /^[a-z]/i.test(part) ? ` ${part}` : part))
    .join("");
}

function group(base: string): string {
  return /^(?:.|\\[a-z]+)$/isu.test(base) ? base : `{${base}}`;
}
