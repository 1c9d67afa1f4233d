import { describedThings, type JsonObject, parseJsonLd } from "../facts/json-ld.ts";
import type { HtmlDocument, HtmlElement } from "../tree/linkedom.ts";
import { Selecting } from "./match-selector.ts";
import { readMicrodata } from "./microdata.ts";
import { MAX_FIELD_TEXT, type PageFacts } from "./read-value.ts";

/** A page as the rules of fields see it: its elements, and the things that it describes. */

/** The most values of a list. */
export const MAX_LIST_VALUES = 200;

/** What the rules of one page share: read once, at the first rule that needs it. */
export class FieldPage {
  readonly facts: PageFacts;
  readonly selecting: Selecting;
  #jsonLd: JsonObject[] | null = null;
  #microdata: JsonObject[] | null = null;
  #broken = 0;

  constructor(document: HtmlDocument, facts: PageFacts) {
    this.facts = facts;
    this.selecting = new Selecting(document);
  }

  things(from: "json-ld" | "microdata"): JsonObject[] {
    if (from === "microdata") {
      this.#microdata ??= describedThings(readMicrodata(this.selecting));
      return this.#microdata;
    }
    if (this.#jsonLd === null) {
      const scripts = this.selecting.elements.filter(isJsonLd).map(({ textContent }) => textContent);
      const blocks = parseJsonLd(scripts);
      this.#broken = scripts.filter((script) => script.trim() !== "").length - blocks.length;
      this.#jsonLd = describedThings(blocks);
    }
    return this.#jsonLd;
  }

  /** The end of a sentence about what is missing. */
  get brokenJsonLd(): string {
    if (this.#broken <= 0) return "";
    return ` (${this.#broken === 1 ? "one block" : `${this.#broken} blocks`} of JSON-LD cannot be read)`;
  }

  /** What `meta` elements of this name say; the first one alone, unless all are wanted. */
  meta(name: string, all: boolean): string[] {
    const found = this.selecting.elements.flatMap((element) => {
      if (element.localName !== "meta") return [];
      const named = element.getAttribute("property") ?? element.getAttribute("name");
      const content =
        element
          .getAttribute("content")
          ?.slice(0, 2 * MAX_FIELD_TEXT)
          .trim() ?? "";
      return named?.trim().toLowerCase() === name && content !== "" ? [content] : [];
    });
    return found.slice(0, all ? MAX_LIST_VALUES : 1);
  }
}

function isJsonLd(element: HtmlElement): boolean {
  return (
    element.localName === "script" && /^\s*application\/ld\+json\s*(?:;|$)/i.test(element.getAttribute("type") ?? "")
  );
}
