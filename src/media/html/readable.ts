import { Readability } from "@mozilla/readability";
import { keepShape } from "../../core/shapes.ts";
import { ContentElement, ContentText } from "./content-tree.ts";
import { copyTree } from "./copy-tree.ts";

/** Runs Readability on our own tree. Readability is the reader view of Firefox. */

/**
 * Characters. Readability compares headings with the title word by word, which takes long for a heading of a megabyte.
 */
const MAX_HEADING = 500;
/** Characters. With less text Readability tries again with weaker rules. */
const ENOUGH = 500;
/** A Chinese character counts as three letters. */
const ENOUGH_HAN = 200;

/**
 * Replaces some of Readability's methods: metadata is read and URLs are resolved elsewhere, scripts and styles are
 * removed already, and class names are still needed for the languages of code.
 */
class Reader extends Readability<unknown> {
  readonly title: string | null;

  constructor(document: ReaderDocument, title: string | null, isHan: boolean) {
    super(document as never, {
      serializer: (node) => node,
      disableJSONLD: true,
      keepClasses: true,
      charThreshold: isHan ? ENOUGH_HAN : ENOUGH,
    });
    this.title = title;
  }

  declare _getArticleTitle: () => string;

  /** Has no byline, so that Readability removes the byline in the text. */
  _getArticleMetadata(): { title: string } {
    return { title: this.title ?? this._getArticleTitle() };
  }

  _getInnerText(element: ContentElement, collapse = true): string {
    if (collapse && element.nodeType === 1) return element.collapsedText;
    return element.textContent.trim();
  }

  _headerDuplicatesTitle(element: ContentElement): boolean {
    if (element.tagName !== "H1" && element.tagName !== "H2") return false;
    if (element.textContent.length > MAX_HEADING) return false;
    return (Readability.prototype as unknown as BaseReader)._headerDuplicatesTitle.call(this, element);
  }

  /** The checkboxes of a task list are content. */
  _clean(root: ContentElement, tag: string): void {
    for (const element of root.getElementsByTagName(tag)) if (!isTaskBox(element)) element.remove();
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

interface BaseReader {
  _headerDuplicatesTitle(element: ContentElement): boolean;
}

/** The part of a document that Readability uses. */
class ReaderDocument {
  /** Tells Readability that the names of elements can be changed. */
  readonly firstChild = { __JSDOMParser__: true };
  readonly documentElement = new ContentElement("html");
  readonly body: ContentElement;
  readonly title: string;

  constructor(body: ContentElement, title: string) {
    this.body = body;
    this.title = title;
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

export function isTaskBox(element: ContentElement): boolean {
  return element.localName === "input" && element.getAttribute("type")?.toLowerCase() === "checkbox";
}

/**
 * Returns what Readability finds, or null. `pristine` stays unchanged. `documentTitle`: the text of the `title`
 * element. `title`: the title from other metadata, without the name of the site.
 */
export function readArticle(
  pristine: ContentElement,
  documentTitle: string | null,
  title: string | null,
  isHan: boolean,
): ContentElement | null {
  const body = copyTree(pristine);
  body.restore = () => {
    while (body.firstChild !== null) body.firstChild.remove();
    const copy = copyTree(pristine);
    while (copy.firstChild !== null) body.appendChild(copy.firstChild);
  };
  const reader = keepShape(new Reader(new ReaderDocument(body, documentTitle ?? ""), title, isHan));
  const found = reader.parse()?.content;
  return found instanceof ContentElement ? found : null;
}
