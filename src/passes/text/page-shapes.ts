import { isEdgeKind } from "../../graph/linked-page.ts";
import type { PageLinks } from "../../graph/page-links.ts";
import { PAGE_KINDS, type PageKind } from "../../media/document.ts";
import { packArrays, toUint16s, toUint32s, unpackArrays } from "../array-object.ts";

/** Shapes of pages: their kind, and their links in the content and around it. Five bytes a row in memory. */

const MAX_LINKS = 0xffff;
/** The shape of a row without links. */
const NO_SHAPE = 0;
/** Stands for a kind that is not known. */
const NO_KIND = 1;

interface PageShape {
  contentLinks: number;
  navigationLinks: number;
  /** Null if no text was made of the page. */
  pageKind: PageKind | null;
}

/** Collects the shapes of the pages of a step. */
export class ShapeSink {
  readonly #nodes: number[] = [];
  readonly #content: number[] = [];
  readonly #navigation: number[] = [];
  readonly #kinds: number[] = [];

  add(node: number, { links, pageKind }: Pick<PageLinks, "links" | "pageKind">): void {
    let [content, navigation] = [0, 0];
    for (const { kind, place } of links) {
      if (!isEdgeKind(kind)) continue;
      if (place === "content") content += 1;
      else navigation += 1;
    }
    this.#nodes.push(node);
    this.#content.push(Math.min(content, MAX_LINKS));
    this.#navigation.push(Math.min(navigation, MAX_LINKS));
    this.#kinds.push(pageKind === undefined ? NO_KIND : PAGE_KINDS.indexOf(pageKind) + NO_KIND + 1);
  }

  toBytes(): Uint8Array {
    return packArrays([
      Uint32Array.from(this.#nodes),
      Uint16Array.from(this.#content),
      Uint16Array.from(this.#navigation),
      Uint8Array.from(this.#kinds),
    ]);
  }
}

/** The shapes of all rows. */
export class PageShapes {
  readonly #content: Uint16Array;
  readonly #navigation: Uint16Array;
  readonly #kinds: Uint8Array;

  constructor(rows: number) {
    this.#content = new Uint16Array(rows);
    this.#navigation = new Uint16Array(rows);
    this.#kinds = new Uint8Array(rows);
  }

  /** Adds what a ShapeSink wrote. */
  addBytes(bytes: Uint8Array<ArrayBuffer>): void {
    const [nodes, content, navigation, kinds] = unpackArrays(bytes);
    if (nodes === undefined || content === undefined || navigation === undefined || kinds === undefined) return;
    const [contents, navigations] = [toUint16s(content), toUint16s(navigation)];
    for (const [i, node] of toUint32s(nodes).entries()) {
      this.#content[node] = contents[i] as number;
      this.#navigation[node] = navigations[i] as number;
      this.#kinds[node] = kinds[i] as number;
    }
  }

  /** Null for a row without links. */
  find(node: number): PageShape | null {
    const kind = this.#kinds[node] as number;
    if (kind === NO_SHAPE) return null;
    const [contentLinks = 0, navigationLinks = 0] = [this.#content[node], this.#navigation[node]];
    return { contentLinks, navigationLinks, pageKind: PAGE_KINDS[kind - NO_KIND - 1] ?? null };
  }
}
