import type { Content, ContentFormat, ContentSelection } from "../../document.ts";
import { selectElements } from "../fields/match-selector.ts";
import type { Page } from "../page.ts";
import type { HtmlDocument, HtmlElement } from "../tree/linkedom.ts";
import { makeContent } from "./content.ts";
import { makeWholeContent } from "./whole-content.ts";

/** Makes the content that a request chooses: the whole page, some elements, or either without others. */

/** Throws TreeLimit for more than a tree may hold. */
export function makeSelectedContent(
  document: HtmlDocument,
  page: Page,
  formats: readonly ContentFormat[],
  { isWhole, include, exclude }: ContentSelection,
): Content {
  const ignored = selectElements(document, exclude);
  if (!isWhole && include.length === 0) return makeContent(document, page, formats, { ignored });
  const { metadata } = makeContent(document, page, []);
  for (const element of ignored as ReadonlySet<ChangeableElement>) element.remove();
  const html =
    include.length === 0
      ? (document.all as readonly ChangeableElement[])
          .filter(({ parentElement }) => parentElement === null)
          .map(({ innerHTML }) => innerHTML)
          .join("")
      : outermost([...(selectElements(document, include) as ReadonlySet<ChangeableElement>)])
          .map((element) => element.outerHTML)
          .join("\n");
  // Whoever chooses them wants menus, which are left out of content otherwise.
  return makeWholeContent(html.replace(/<(\/?)nav(?=[\s>/])/gi, "<$1div"), page.base, metadata, formats);
}

interface ChangeableElement extends HtmlElement {
  readonly parentElement: ChangeableElement | null;
  readonly innerHTML: string;
  readonly outerHTML: string;
  remove(): void;
}

/** An element within another one that is included comes with it. */
function outermost(elements: readonly ChangeableElement[]): ChangeableElement[] {
  const all = new Set(elements);
  return elements.filter((element) => {
    for (let above = element.parentElement; above !== null; above = above.parentElement)
      if (all.has(above)) return false;
    return true;
  });
}
