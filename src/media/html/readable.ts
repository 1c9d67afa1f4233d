import { Readability } from "@mozilla/readability";
import { keepShape } from "../../core/shapes.ts";
import { ContentElement, ContentText } from "./content-tree.ts";
import { copyTree } from "./copy-tree.ts";

/** Readability over our own tree: what Firefox's reader view would show of a page. */

/** Words of a title that a heading is compared with are few; a heading of a megabyte would be compared word by word. */
const MAX_HEADING = 500;
/** Below this Readability tries again with less care. */
const ENOUGH = 500;
/** A Chinese character says as much as three letters. */
const ENOUGH_HAN = 200;

/**
 * Readability's own methods, as far as they are replaced: metadata is read elsewhere, URLs are resolved elsewhere, scripts and styles are
 * gone, and classes are still needed for the languages of code.
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

  /** Without a byline, so that the one in the text is taken out. */
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

  /** The boxes of a list of tasks are content. */
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

/** As much of a document as Readability asks for. */
class ReaderDocument {
  /** Tells Readability that an element's name may be changed. */
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
 * What Readability finds, or null. `pristine` stays as it is. `documentTitle` is what `title` says, `title` what the page says elsewhere,
 * without the name of its site.
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
