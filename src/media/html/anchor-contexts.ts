import type { LinkPlace } from "../links.ts";
import { isSurroundings, type NamedElement } from "./boilerplate.ts";
import {
  ATTRIBUTE,
  CDATA,
  ELEMENT,
  END,
  type HtmlDocument,
  type HtmlElement,
  type ListedNode,
  nextListed,
  TEXT,
} from "./linkedom.ts";

/** Finds the text and the place of each link of a page, in one walk over its nodes. */

export interface AnchorContext {
  /** As written, cut at a limit. An anchor ends where the next one begins, as in browsers. */
  text: string;
  place: LinkPlace;
}

/** An element that looks like surroundings; the characters of the page's text where it begins and ends. */
interface Surroundings {
  from: number;
  to: number;
}

const LINKS = new Set(["a", "area", "frame", "iframe"]);
/** Elements whose text is no text of the page. */
const TEXTLESS = new Set("script style title template noscript textarea select".split(" "));
const CONTENT = new Set(["article", "main", "section", "blockquote"]);

/**
 * Surroundings that hold more than half of the page's text are content, unless they are a `nav`: themes name whole
 * pages `has-sidebar`. `maxText`: characters of anchor text, white space aside.
 */
export function findAnchorContexts(document: HtmlDocument, maxText: number): Map<HtmlElement, AnchorContext> {
  const contexts = new Map<HtmlElement, AnchorContext>();
  const surrounded: [AnchorContext, Surroundings][] = [];
  const open: { name: string; surroundings: Surroundings | null }[] = [];
  let innermost: Surroundings | null = null;
  let anchor: AnchorContext | null = null;
  let length = 0;
  const depths = { nav: 0, content: 0, textless: 0 };
  const count = (name: string, step: 1 | -1) => {
    if (name === "nav") depths.nav += step;
    else if (CONTENT.has(name)) depths.content += step;
    else if (TEXTLESS.has(name)) depths.textless += step;
  };

  for (let node = nextListed(document); node !== null; node = nextListed(node)) {
    if (node.nodeType === ELEMENT) {
      const name = node.localName ?? "";
      open.push({ name, surroundings: innermost });
      // A header of an article or section belongs to it.
      if (isSurroundings(namedElement(node), () => depths.content === 0)) innermost = { from: length, to: length };
      count(name, 1);
      if (!LINKS.has(name)) continue;
      const context: AnchorContext = { text: "", place: depths.nav > 0 ? "navigation" : "content" };
      if (innermost !== null) surrounded.push([context, innermost]);
      contexts.set(node as unknown as HtmlElement, context);
      anchor = name === "a" ? context : anchor;
    } else if (node.nodeType === END) {
      const closed = open.pop();
      if (closed === undefined) continue;
      count(closed.name, -1);
      if (closed.name === "a") anchor = null;
      if (innermost !== null && innermost !== closed.surroundings) innermost.to = length;
      innermost = closed.surroundings;
    } else if ((node.nodeType === TEXT || node.nodeType === CDATA) && depths.textless === 0) {
      const data = node.data ?? "";
      length += data.trim().length;
      if (anchor !== null && anchor.text.length < 4 * maxText) anchor.text += data.slice(0, 4 * maxText);
    }
  }
  for (const [context, { from, to }] of surrounded) if (to - from <= length / 2) context.place = "navigation";
  return contexts;
}

function namedElement(node: ListedNode): NamedElement {
  const named = { localName: node.localName ?? "", className: "", id: "", role: null as string | null };
  for (let listed = nextListed(node); listed?.nodeType === ATTRIBUTE; listed = nextListed(listed)) {
    if (listed.name === "class") named.className = listed.value ?? "";
    else if (listed.name === "id") named.id = listed.value ?? "";
    else if (listed.name === "role") named.role = listed.value ?? null;
  }
  return named;
}
