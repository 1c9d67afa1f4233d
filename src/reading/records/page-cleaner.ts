import { cleanMarkdown } from "../../changes/template/clean-markdown.ts";
import { type Cleaner, cleanerOf, sortLines, textOf } from "../../changes/template/clean-text.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Formatted } from "../../crawl/page/page-format.ts";
import { unpackJson } from "../../passes/gzip-json.ts";
import { openResult } from "../../passes/sectioned-object.ts";
import type { RepeatedByOrigin } from "../../passes/text/find-repeated.ts";
import { originOf } from "../../url/host-key.ts";
import type { PassResults } from "../needs.ts";

/** Leaves out of pages what the last analysis found on many pages of their origin. */

export class PageCleaner {
  readonly #repeated: RepeatedByOrigin;
  readonly #cleaners = new Map<string, Cleaner | null>();

  private constructor(repeated: RepeatedByOrigin) {
    this.#repeated = repeated;
  }

  /** Null if the crawl was not analyzed, or by a version that did not look for repeated text. */
  static async open({ id }: Pick<Crawl, "id">, { passes, passObjects }: PassResults) {
    const pass = await passes.lastCompleted(id);
    if (pass === undefined) return null;
    const result = await openResult(pass, passObjects);
    if (result.header.sections.repeated === undefined) return null;
    return new PageCleaner(unpackJson<RepeatedByOrigin>(await result.bytes("repeated")));
  }

  /** `text`: the entire text of the page. Formats other than text, Markdown and JSON stay as they are. */
  clean(url: string, formatted: Formatted, text: string): Formatted {
    const cleaner = this.#cleanerOf(originOf(url));
    if (cleaner === null) return formatted;
    const sorted = sortLines(text, cleaner);
    if (sorted.stays.every(Boolean)) return formatted;
    const { markdown, json } = formatted;
    return {
      ...formatted,
      ...(formatted.text === undefined ? {} : { text: textOf(sorted) }),
      ...(json === undefined ? {} : { json: { ...json, text: textOf(sorted) } }),
      ...(markdown === undefined ? {} : { markdown: cleanMarkdown(markdown, sorted) }),
    };
  }

  #cleanerOf(origin: string): Cleaner | null {
    const known = this.#cleaners.get(origin);
    if (known !== undefined) return known;
    const repeated = Object.hasOwn(this.#repeated, origin) ? this.#repeated[origin] : undefined;
    const cleaner = repeated === undefined ? null : cleanerOf(repeated);
    this.#cleaners.set(origin, cleaner);
    return cleaner;
  }
}
