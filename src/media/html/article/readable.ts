import { Readability } from "@mozilla/readability";
import { keepShape } from "../../../core/shapes.ts";
import { copyTree } from "../tree/copy-tree.ts";
import { standsForHeading } from "./boilerplate.ts";
import { ContentElement, ContentText } from "./content-tree.ts";
import { holdsContent, isFurniture, isTaskBox } from "./own-content.ts";

/**
 * Runs Readability on our own tree. Readability is the reader view of Firefox. It chooses the article, and may cut only
 * what holds no content: names never count against an element.
 */

/** Characters. With less text Readability tries again with weaker rules. */
const ENOUGH = 500;
/** A Chinese character counts as three letters. */
const ENOUGH_HAN = 200;
/** Their author may be content: "Author: the name of the file's author". */
const NO_BYLINES = new Set("h1 h2 h3 h4 h5 h6 p dt dd li pre table".split(" "));

/**
 * Replaces some of Readability's methods: metadata is read and URLs are resolved elsewhere, scripts and styles are
 * removed already, and class names are still needed for the languages of code.
 */
class Reader extends Readability<unknown> {
  #byline: ContentElement | null = null;

  constructor(document: ReaderDocument, isHan: boolean) {
    super(document as never, {
      serializer: (node) => node,
      disableJSONLD: true,
      keepClasses: true,
      charThreshold: isHan ? ENOUGH_HAN : ENOUGH,
    });
  }

  /** Has no byline, so that Readability removes the byline in the text. */
  _getArticleMetadata(): { title: string } {
    return { title: "" };
  }

  _getInnerText(element: ContentElement, collapse = true): string {
    if (collapse && element.nodeType === 1) return element.collapsedText;
    return element.textContent.trim();
  }

  /** The page's own heading is content. */
  _headerDuplicatesTitle(): boolean {
    return false;
  }

  /** Readability would make each `h1` an `h2`. */
  _replaceNodeTags(nodes: readonly ContentElement[], tag: string): void {
    if (tag !== "h2") base._replaceNodeTags.call(this, nodes, tag);
  }

  _getClassWeight(element: ContentElement): number {
    return Math.max(0, base._getClassWeight.call(this, element));
  }

  _isValidByline(element: ContentElement): boolean {
    if (NO_BYLINES.has(element.localName)) return false;
    if (!base._isValidByline.call(this, element, element.className)) return false;
    this.#byline = element;
    return true;
  }

  /** Readability calls it for names, roles, bylines and empty elements. */
  _removeAndGetNext(element: ContentElement): ContentElement | null {
    const mayGo = element === this.#byline || isEmpty(element) || isFurniture(element);
    return mayGo ? base._removeAndGetNext.call(this, element) : base._getNextNode.call(this, element);
  }

  /** Without a filter, all of the nodes go. */
  _removeNodes(nodes: readonly ContentElement[], isDoomed?: NodeFilter): void {
    base._removeNodes.call(this, nodes, (node, at, all) => {
      return (isDoomed === undefined || isDoomed.call(this, node, at, all)) && !holdsContent(node);
    });
  }

  _clean(root: ContentElement, tag: string): void {
    for (const element of root.getElementsByTagName(tag))
      if (!isTaskBox(element) && !standsForHeading(element) && !holdsContent(element)) element.remove();
  }

  _fixRelativeUris(): void {
    return;
  }

  _cleanStyles(): void {
    return;
  }

  _removeScripts(): void {
    return;
  }
}

function isEmpty(element: ContentElement): boolean {
  return element.textContent.trim() === "" && element.querySelectorAll("audio,img,video").length === 0;
}

type NodeFilter = (this: unknown, node: ContentElement, at: number, all: readonly ContentElement[]) => boolean;

interface BaseReader {
  _getClassWeight(element: ContentElement): number;
  _getNextNode(element: ContentElement): ContentElement | null;
  _isValidByline(element: ContentElement, names: string): boolean;
  _removeAndGetNext(element: ContentElement): ContentElement | null;
  _removeNodes(nodes: readonly ContentElement[], isDoomed: NodeFilter): void;
  _replaceNodeTags(nodes: readonly ContentElement[], tag: string): void;
}

const base = Readability.prototype as unknown as BaseReader;

/** The part of a document that Readability uses. */
class ReaderDocument {
  /** Tells Readability that the names of elements can be changed. */
  readonly firstChild = { __JSDOMParser__: true };
  readonly documentElement = new ContentElement("html");
  readonly body: ContentElement;

  constructor(body: ContentElement) {
    this.body = body;
    this.documentElement.append(body);
  }

  createElement(name: string): ContentElement {
    return new ContentElement(name.toLowerCase());
  }

  createTextNode(data: string): ContentText {
    return new ContentText(data);
  }

  getElementsByTagName(tag: string): ContentElement[] {
    return this.documentElement.getElementsByTagName(tag);
  }

  querySelectorAll(tags: string): ContentElement[] {
    return this.documentElement.querySelectorAll(tags);
  }
}

/** Returns what Readability finds in `page`, or null. `page` stays unchanged. */
export function readArticle(page: ContentElement, isHan: boolean): ContentElement | null {
  const body = new ContentElement("body");
  const fill = () => {
    while (body.firstChild !== null) body.firstChild.remove();
    const copy = copyTree(page);
    while (copy.firstChild !== null) body.appendChild(copy.firstChild);
  };
  fill();
  body.restore = fill;
  const reader = keepShape(new Reader(new ReaderDocument(body), isHan));
  const found = reader.parse()?.content;
  return found instanceof ContentElement ? found : null;
}
