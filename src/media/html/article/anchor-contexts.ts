import type { RawLink } from "../../links/links.ts";
import {
  ATTRIBUTE,
  attributesOf,
  CDATA,
  ELEMENT,
  END,
  type HtmlDocument,
  type HtmlElement,
  type ListedNode,
  nextListed,
  TEXT,
} from "../tree/linkedom.ts";
import type { AroundLinks } from "./around-links.ts";
import { isSurroundings, type NamedElement } from "./boilerplate.ts";

/** Visits the elements of a page in one walk over its nodes, and finds the text and the place of each link. */

/** Whether the content of an element is read, is skipped, or is text to the end of the page. */
export type ElementContent = "read" | "skipped" | "text";

/** What reads the page. */
interface PageReader {
  /** The links so far. */
  readonly links: RawLink[];
  /** Reads an element, and adds its link. The elements come in document order, without those that are skipped. */
  readElement(element: HtmlElement): ElementContent;
  readId(id: string): void;
  /** Tidies an anchor text as written, which may be cut. */
  tidyText(written: string): string;
}

/** An element that looks like surroundings; the characters of the page's text where it begins and ends. */
interface Surroundings {
  from: number;
  to: number;
}

interface OpenElement {
  node: ListedNode;
  /** The characters of the page's text before it. */
  from: number;
  /** Whether an article, a section or the like is open around it. */
  isInContent: boolean;
  /** The innermost surroundings, itself included; undefined until a link in it is found. */
  surroundings: Surroundings | null | undefined;
}

const LINKS = new Set(["a", "area", "frame", "iframe"]);
/** Elements whose text is no text of the page. */
export const TEXTLESS = new Set("script style title template noscript textarea select".split(" "));
const CONTENT = new Set(["article", "main", "section", "blockquote"]);

/**
 * Gives the text to each `a`, and the place to links that readers can see. An anchor ends where the next one begins, as
 * in browsers. Surroundings that hold more than half of the page's text are content, unless they are a `nav`: themes
 * name whole pages `has-sidebar`. `maxText`: characters of anchor text, white space aside. `around` gets the text
 * around each `a`; null if nobody needs it. Returns the characters of the page's text, white space around texts aside.
 */
export function readWithContexts(
  document: HtmlDocument,
  reader: PageReader,
  maxText: number,
  around: AroundLinks | null = null,
): number {
  const surrounded: [RawLink, Surroundings][] = [];
  const open: OpenElement[] = [];
  /** How many of the open elements have been asked for their surroundings. Most elements hold no link. */
  let asked = 0;
  let anchor: RawLink | null = null;
  let written = "";
  let length = 0;
  /** The number of open elements around one whose content is skipped. */
  let skippedIn = Number.POSITIVE_INFINITY;
  let isText = false;
  const depths = { nav: 0, content: 0, textless: 0 };
  const count = (name: string, step: 1 | -1) => {
    if (name === "nav") depths.nav += step;
    else if (CONTENT.has(name)) depths.content += step;
    else if (TEXTLESS.has(name)) depths.textless += step;
  };

  const innermostSurroundings = (): Surroundings | null => {
    for (; asked < open.length; asked++) {
      const { node, from, isInContent } = open[asked] as OpenElement;
      // A header of an article or section belongs to it.
      const isOwn = isSurroundings(namedElement(node), () => !isInContent);
      (open[asked] as OpenElement).surroundings = isOwn ? { from, to: from } : open[asked - 1]?.surroundings;
    }
    return open.at(-1)?.surroundings ?? null;
  };

  const endAnchor = () => {
    if (anchor !== null) {
      anchor.text = reader.tidyText(written);
      around?.endLink();
    }
    anchor = null;
    written = "";
  };

  for (let node = nextListed(document); node !== null; node = nextListed(node)) {
    const { nodeType } = node;
    if (nodeType === ELEMENT) {
      const name = node.localName ?? "";
      const isRead = !isText && open.length < skippedIn;
      open.push({ node, from: length, isInContent: depths.content > 0, surroundings: undefined });
      count(name, 1);
      if (name === "a") endAnchor();
      else around?.openElement(name);
      if (!isRead) continue;
      const links = reader.links.length;
      const content = reader.readElement(node as unknown as HtmlElement);
      if (content === "skipped") skippedIn = open.length;
      else if (content === "text") isText = true;
      const link = reader.links[links];
      if (link === undefined || !LINKS.has(name)) continue;
      link.place = depths.nav > 0 ? "navigation" : "content";
      const surroundings = innermostSurroundings();
      if (surroundings !== null) surrounded.push([link, surroundings]);
      if (name !== "a") continue;
      anchor = link;
      around?.beginLink(link);
    } else if (nodeType === ATTRIBUTE) {
      if (node.name === "id" && !isText && open.length <= skippedIn) reader.readId(node.value ?? "");
    } else if (nodeType === END) {
      const closed = open.pop();
      if (closed === undefined) continue;
      const name = closed.node.localName ?? "";
      count(name, -1);
      if (name === "a") endAnchor();
      else around?.closeElement(name);
      if (open.length < skippedIn) skippedIn = Number.POSITIVE_INFINITY;
      asked = Math.min(asked, open.length);
      const { surroundings } = closed;
      if (surroundings && surroundings !== open.at(-1)?.surroundings) surroundings.to = length;
    } else if ((nodeType === TEXT || nodeType === CDATA) && depths.textless === 0) {
      const data = node.data ?? "";
      length += data.trim().length;
      around?.addText(data);
      if (anchor !== null && written.length < 4 * maxText) written += data.slice(0, 4 * maxText);
    }
  }
  endAnchor();
  around?.settle();
  for (const [link, { from, to }] of surrounded) if (to - from <= length / 2) link.place = "navigation";
  return length;
}

function namedElement(node: ListedNode): NamedElement {
  const named = { localName: node.localName ?? "", className: "", id: "", role: null as string | null };
  for (const { name, value } of attributesOf(node)) {
    if (name === "class") named.className = value;
    else if (name === "id") named.id = value;
    else if (name === "role") named.role = value;
  }
  return named;
}
