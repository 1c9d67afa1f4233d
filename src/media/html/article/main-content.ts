import type { PageKind } from "../../document.ts";
import type { Claims } from "../facts/page-claims.ts";
import { decidePageKind } from "../facts/page-kind.ts";
import { type CopiedPage, putBackHidden, putBackTabs } from "../tree/copy-document.ts";
import { removeBylines } from "./boilerplate.ts";
import { chooseBlocks } from "./choose-blocks.ts";
import { cleanedBody, type Hints, INDIVISIBLE } from "./cleaned-body.ts";
import { looksLikeThread, removeComments } from "./comments.ts";
import { type BlockTree, cutBlocks } from "./content-blocks.ts";
import type { ContentElement } from "./content-tree.ts";
import { keptIn } from "./keep-structure.ts";
import { learnedKind } from "./learned-kind.ts";
import { contentsOfPage } from "./manual-navigation.ts";
import { measure } from "./measure.ts";
import { findOwnHeading, restoreOwnHeading } from "./own-heading.ts";
import { pageTurns } from "./page-turns.ts";

/** Finds the main content of a page: the blocks of text that a model takes for content, in the elements around them. */

interface MainContent {
  root: ContentElement;
  kind: PageKind;
}

/** Elements of a page that the model looks at: some hundred milliseconds. */
const MAX_ELEMENTS = 20_000;
/** Characters. A text with less has no shape. */
const LEAST_SHAPE = 250;
/** Characters. A page with less is not cut by the model, which knows pages. A Chinese character counts as three. */
const SHORT = 1_000;

/** Changes `page.body`. */
export function findMainContent(page: CopiedPage, hints: Hints): MainContent {
  const isThread = removeNotes(page.body, hints);
  const heading = findOwnHeading(page.body, hints);
  const isKnown = hints.isManual || page.elementCount > MAX_ELEMENTS || isShort(page);
  if (hints.isManual) putBackTabs(page);
  const { root, learned } = isKnown
    ? { root: cleanedBody(page.body, hints), learned: null }
    : chosenContent(page, { ...hints, isThread });
  if (!hints.isManual)
    for (const contents of contentsOfPage(root, { url: hints.kind.url, ...hints })) contents.remove();
  if (!isThread && !hints.isManual) removeBylines(root);
  if (heading !== null) restoreOwnHeading(root, heading);
  return { root, kind: isThread ? "forum" : shapeOf(root, learned, hints.isArticle) };
}

/** Removes what is known to be no content without a look at the rest. Returns whether the page is a thread. */
export function removeNotes(body: ContentElement, { isThread, isArticle, isManual }: Claims): boolean {
  const hasPosts = isThread || (!isArticle && looksLikeThread(body));
  if (!hasPosts) removeComments(body, isArticle);
  for (const bar of pageTurns(body, isManual)) bar.remove();
  return hasPosts;
}

/** The blocks of all that the page holds, hidden or not. */
export function blocksOf(page: CopiedPage): BlockTree {
  putBackHidden(page);
  return cutBlocks(page.body, new Set(page.hidden.map(({ element }) => element)));
}

function chosenContent(page: CopiedPage, hints: Hints): { root: ContentElement; learned: PageKind } {
  const { kind: facts, isArticle } = hints;
  const tree = blocksOf(page);
  const learned = learnedKind(tree, hints);
  // What the page says of itself, because the model of blocks sees its shape. The length of the text, by which pages of
  // errors are known, is not known yet.
  const kind = decidePageKind(facts, isArticle ? "article" : "other", page.weight);
  removeOthers(tree, chooseBlocks(tree, { url: facts.url, isArticle }, kind));
  return { root: innermost(page.body), learned };
}

/** Removes the blocks that are not kept, and the elements that held nothing else. */
function removeOthers(tree: BlockTree, kept: readonly boolean[]): void {
  const held = keptIn(tree, kept);
  for (const [at, { texts }] of tree.blocks.entries()) if (!kept[at]) for (const text of texts) text.remove();
  for (const [index, { element, blocks, isHidden }] of tree.regions.entries())
    if (index > 0 && held[index] === 0 && (blocks > 0 || isHidden)) element.remove();
}

/** Descends to the element that holds all that is left. */
function innermost(body: ContentElement): ContentElement {
  let root = body;
  for (;;) {
    const [only, second] = root.children;
    if (only === undefined || second !== undefined || INDIVISIBLE.has(only.localName)) return root;
    if (root.childNodes.some((node) => node.nodeType === 3 && node.data.trim() !== "")) return root;
    if (only.firstElementChild === null) return root;
    root = only;
  }
}

function isShort({ body, hidden }: CopiedPage): boolean {
  let length = 0;
  for (const element of [body, ...hidden.map((one) => one.element)]) {
    const { characters, hanCharacters } = measure(element);
    length += characters + 2 * hanCharacters;
  }
  return length < SHORT;
}

/** `learned`: the kind that the model sees. Pages that it does not see are known by their links and prose. */
function shapeOf(root: ContentElement, learned: PageKind | null, isArticle: boolean): PageKind {
  const { characters, hanCharacters, linkCharacters, proseCharacters } = measure(root);
  if (characters + 2 * hanCharacters < LEAST_SHAPE) return "other";
  // A page that says that it is an article, and has no posts, is no thread.
  if (learned !== null && !(learned === "forum" && isArticle)) return learned;
  if (isArticle) return "article";
  if (linkCharacters > characters / 2) return "listing";
  return proseCharacters > characters / 2 ? "article" : "other";
}
