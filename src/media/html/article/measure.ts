import type { ContentElement } from "./content-tree.ts";
import { nextNode } from "./content-tree.ts";

/** Measures how much of a page is prose, links, code and tables. It distinguishes an article from a list of links. */

export interface Measure {
  /** Texts are trimmed. */
  characters: number;
  linkCharacters: number;
  /** Characters in blocks that are as long as paragraphs and not mostly links. */
  proseCharacters: number;
  /** Characters in code, data tables and lists of definitions. */
  structuredCharacters: number;
  /** Chinese, Japanese and Korean characters. */
  hanCharacters: number;
}

export const BLOCKS = new Set(
  (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 " +
    "h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);
/** Characters. A Chinese character counts as three. */
export const PARAGRAPH = 80;
const HAN = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]/g;
const BEYOND_LATIN = /[\u3040-\uffff]/;
/** Characters of a text in which they are counted. */
const MAX_SAMPLE = 5_000;

export function measure(root: ContentElement): Measure {
  const total = { characters: 0, linkCharacters: 0, proseCharacters: 0, structuredCharacters: 0, hanCharacters: 0 };
  let run = { characters: 0, linkCharacters: 0, hanCharacters: 0 };
  const endRun = () => {
    const isLong = run.characters + 2 * run.hanCharacters >= PARAGRAPH;
    if (isLong && run.linkCharacters < run.characters / 2) total.proseCharacters += run.characters;
    run = { characters: 0, linkCharacters: 0, hanCharacters: 0 };
  };
  let linkEnd: unknown;
  let structureEnd: unknown;
  let isLink = false;
  let isStructure = false;
  for (let node = nextNode(root, root); node !== null; node = nextNode(node, root)) {
    if (isLink && node === linkEnd) isLink = false;
    if (isStructure && node === structureEnd) isStructure = false;
    if (node.nodeType === 1) {
      if (BLOCKS.has(node.localName)) endRun();
      if (node.localName === "a" && !isLink) {
        isLink = true;
        linkEnd = nextNode(node, root, true);
      }
      if (!isStructure && isStructured(node)) {
        isStructure = true;
        structureEnd = nextNode(node, root, true);
      }
      continue;
    }
    const text = node.data.trim();
    if (text === "") continue;
    const han = countHan(text);
    run.characters += text.length;
    run.hanCharacters += han;
    total.characters += text.length;
    total.hanCharacters += han;
    if (isLink) {
      run.linkCharacters += text.length;
      total.linkCharacters += text.length;
    }
    if (isStructure) total.structuredCharacters += text.length;
  }
  endRun();
  return total;
}

/** Chinese, Japanese and Korean characters at the beginning of a text. */
export function countHan(text: string): number {
  return BEYOND_LATIN.test(text) ? (text.slice(0, MAX_SAMPLE).match(HAN)?.length ?? 0) : 0;
}

function isStructured({ localName, firstElementChild }: ContentElement): boolean {
  if (localName === "pre" || localName === "dl" || localName === "th") return true;
  return localName === "table" && ["thead", "caption", "colgroup"].includes(firstElementChild?.localName ?? "");
}
