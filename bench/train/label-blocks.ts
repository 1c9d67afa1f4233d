import type { Block } from "../../src/media/html/article/content-blocks.ts";
import type { Truth } from "../text-sets.ts";

/** Labels the blocks of a page: how much of each is in the text that people marked as the page's content. */

interface Labels {
  /** Shares between 0 and 1. */
  labels: Float32Array;
  /** By how much of the content a mistake would cost; 0 for a block of which nothing is known. */
  weights: Float32Array;
}

/** Words that stand in a row in both texts; fewer may be chance. */
const LEAST_RUN = 3;
/** The cells of a table of words that fits into memory. */
const MAX_CELLS = 120_000_000;
const GRAM = 4;
/** The most that one block may weigh, and the weight of a block that a sentence marks. */
const MAX_WEIGHT = 0.5;
const SENTENCE_WEIGHT = 0.12;
/** A text of a few words weighs as if it had as many. */
const LEAST_WORDS = 60;
const WHOLE = 0.99;

export function labelBlocks(blocks: readonly Block[], truth: Truth): Labels {
  const texts = blocks.map(({ texts: nodes }) => nodes.map(({ data }) => data).join(" "));
  return "text" in truth ? byText(texts, truth.text) : bySentences(texts, truth);
}

function byText(texts: readonly string[], text: string): Labels {
  const words = texts.map(wordsOf);
  const wanted = wordsOf(text);
  const lines = new Set(text.split("\n").map((line) => wordsOf(line).join(" ")));
  const runs = runsInBoth(words.flat(), wanted);
  const labels = new Float32Array(texts.length);
  const weights = new Float32Array(texts.length);
  let start = 0;
  for (const [at, own] of words.entries()) {
    const found = runs.subarray(start, start + own.length);
    start += own.length;
    if (own.length === 0) continue;
    const matched = found.filter((run) => run > 0).length;
    const isSure = found.some((run) => run >= LEAST_RUN) || (matched === own.length && lines.has(own.join(" ")));
    const share = isSure ? matched / own.length : 0;
    labels[at] = share >= WHOLE ? 1 : share;
    weights[at] = Math.min(MAX_WEIGHT, (own.length + 2) / Math.max(LEAST_WORDS, wanted.length));
  }
  return { labels, weights };
}

function bySentences(texts: readonly string[], { wanted, unwanted }: { wanted: string[]; unwanted: string[] }): Labels {
  const labels = new Float32Array(texts.length);
  const weights = new Float32Array(texts.length);
  const flat = (text: string) => text.replace(/\s+/g, " ").trim();
  const blocks = texts.map(flat);
  const mark = (sentences: string[], label: number) => {
    for (const sentence of sentences.map(flat))
      for (const [at, block] of blocks.entries()) {
        const isPart = sentence.length > 20 && block.length > 20 && sentence.includes(block);
        if (!block.includes(sentence) && !isPart) continue;
        labels[at] = label;
        weights[at] = SENTENCE_WEIGHT;
      }
  };
  mark(unwanted, 0);
  mark(wanted, 1);
  return { labels, weights };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** For each word of `page` how many words around it, itself included, stand in a row in `text` too, in one order. */
function runsInBoth(page: readonly string[], text: readonly string[]): Int32Array {
  const places = page.length * text.length <= MAX_CELLS ? commonWords(page, text) : commonGrams(page, text);
  const runs = new Int32Array(page.length);
  for (let from = 0; from < places.length; ) {
    let to = from + 1;
    if ((places[from] as number) >= 0) {
      while (to < places.length && places[to] === (places[to - 1] as number) + 1) to += 1;
      runs.fill(to - from, from, to);
    }
    from = to;
  }
  return runs;
}

const MATCH = 1;
const SKIP_PAGE = 2;

/** The place in `text` of each word of `page` that is in their longest common subsequence, else -1. */
function commonWords(page: readonly string[], text: readonly string[]): Int32Array {
  const width = text.length + 1;
  const steps = new Uint8Array((page.length + 1) * width);
  let below = new Uint16Array(width);
  let row = new Uint16Array(width);
  for (let i = page.length - 1; i >= 0; i--) {
    row[text.length] = 0;
    for (let j = text.length - 1; j >= 0; j--) {
      const [down = 0, right = 0] = [below[j], row[j + 1]];
      if (page[i] === text[j]) {
        row[j] = (below[j + 1] ?? 0) + 1;
        steps[i * width + j] = MATCH;
      } else if (down >= right) {
        row[j] = down;
        steps[i * width + j] = SKIP_PAGE;
      } else row[j] = right;
    }
    [below, row] = [row, below];
  }
  const places = new Int32Array(page.length).fill(-1);
  for (let i = 0, j = 0; i < page.length && j < text.length; ) {
    const step = steps[i * width + j];
    if (step === MATCH) places[i++] = j++;
    else if (step === SKIP_PAGE) i++;
    else j++;
  }
  return places;
}

/** The same for long pages, by groups of words. */
function commonGrams(page: readonly string[], text: readonly string[]): Int32Array {
  const gram = (words: readonly string[], at: number) => words.slice(at, at + GRAM).join(" ");
  const known = new Map(Array.from({ length: Math.max(0, text.length - GRAM) }, (_, at) => [gram(text, at), at]));
  const places = new Int32Array(page.length).fill(-1);
  for (let at = 0; at + GRAM <= page.length; at++) {
    const place = known.get(gram(page, at));
    if (place !== undefined) for (let i = 0; i < GRAM; i++) places[at + i] = place + i;
  }
  return places;
}
