import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { SERIALIZE } from "./page-scripts.ts";

/**
 * The scripts of what is done on a page. They run in a world of their own, so that the page's scripts can change
 * neither them nor what they remember. A click is made by a script: the page's own listeners hear it, whatever covers
 * the element.
 */

/** Links that are remembered of one page, for lists that show some of their entries at a time. */
const MAX_SEEN = 2_000;

/** What a page looks like. */
export interface Measure {
  href: string;
  /** Changes with its elements, its text and its links. */
  state: string;
  /** Entries of the tab's history. */
  entries: number;
}

/** A click: what the page looked like before, and the element's place among those that match. */
export interface Click {
  before: Measure;
  index: number;
  /** Whether it is the only one. */
  isSole: boolean;
}

/** Functions and memory that the scripts share. */
const SHARED = `
  const own = (globalThis.orbweaver ??= { seen: new Set(), clicked: new WeakSet(), last: null, kept: null });
  const everywhere = (selector, root = document) => {
    const found = [...root.querySelectorAll(selector)];
    if (found.length > 0) return found;
    for (const element of root.querySelectorAll("*"))
      if (element.shadowRoot !== null) found.push(...everywhere(selector, element.shadowRoot));
    return found;
  };
  const isUsable = (element) =>
    element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible" &&
    !element.matches(":disabled") && element.getAttribute("aria-disabled") !== "true";
  const isOpen = (element) =>
    element.getAttribute("aria-expanded") === "true" ||
    (element.localName === "summary" && element.parentElement?.open === true);
  const press = (element) => {
    own.clicked.add(element);
    own.last = element;
    element.closest("[target]")?.removeAttribute("target");
    element.scrollIntoView({ block: "center", behavior: "instant" });
    if (typeof element.click === "function") element.click();
    else element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true }));
  };
  const isShort = (text) => text !== null && text.length <= ${MAX_URL_LENGTH};
  // An address that is too long to be visited is not even made.
  const addressOf = (link) => {
    const address = isShort(document.baseURI) && isShort(link.getAttribute("href")) ? link.href : "";
    return isShort(address) && /^https?:/.test(address) ? address : null;
  };
  const look = () => {
    for (const link of document.links) {
      if (own.seen.size >= ${MAX_SEEN}) break;
      const address = addressOf(link);
      if (address !== null && !link.relList.contains("nofollow")) own.seen.add(address);
    }
  };
  const countElements = () => document.getElementsByTagName("*").length;
  const measure = () => {
    look();
    const state = [countElements(), document.body?.textContent?.length ?? 0, own.seen.size];
    return { href: location.href.slice(0, ${MAX_URL_LENGTH}), state: state.join(" "), entries: history.length };
  };
  const frame = () => new Promise((resolve) => { requestAnimationFrame(() => resolve()); setTimeout(resolve, 250); });
`;

const scripted = (body: string) => `(async () => { ${SHARED} ${body} })()`;

/** Resolves with whether an element matches within `maxMs`. */
export const waitForElement = (selector: string, maxMs: number) =>
  scripted(`const until = performance.now() + ${maxMs};
    while (everywhere(${JSON.stringify(selector)}).length === 0) {
      if (performance.now() >= until) return false;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return true;`);

/** What the page looks like, a `Measure`. Remembers its links. */
export const MEASURE = scripted("return measure();");

/**
 * Scrolls to the end of the page, and of boxes that scroll by themselves. It goes up a little first: what watches the
 * end of a list is told only when the end comes into sight. Resolves with what the page looked like before, or null if
 * there is nothing to scroll.
 */
export const SCROLL = scripted(`const before = measure();
  const root = document.scrollingElement ?? document.documentElement;
  const isBox = (element) => element.clientHeight > 150 && element.scrollHeight > element.clientHeight + 20 &&
    /auto|scroll|overlay/.test(getComputedStyle(element).overflowY);
  const boxes = [...document.querySelectorAll("body *")].slice(0, 5000).filter((box) => box !== root && isBox(box));
  if (root.scrollHeight > innerHeight + 1) boxes.push(root);
  if (boxes.length === 0) return null;
  for (const box of boxes) box.scrollTo({ top: box.scrollHeight - 3 * box.clientHeight, behavior: "instant" });
  await frame(); await frame();
  for (const box of boxes) box.scrollTo({ top: box.scrollHeight, behavior: "instant" });
  await frame(); await frame();
  return before;`);

/**
 * Clicks the first element from `from` on that has not been clicked. `again`: or the last one, if it is the only one
 * and no switch that is open. Resolves with a `Click`, or null if there is none. Before the click it keeps the page as
 * it is, unless a fuller one is kept already.
 */
export const clickNext = (selector: string, from: number, again: boolean) =>
  scripted(`const all = everywhere(${JSON.stringify(selector)}).filter(isUsable);
    const isSole = all.length === 1;
    const isNext = (element, i) => i >= ${from} && !own.clicked.has(element);
    let index = all.findIndex(isNext);
    if (index === -1 && ${again} && isSole && all[0] === own.last && !isOpen(all[0])) index = 0;
    if (index === -1) return null;
    const before = measure();
    const elements = countElements();
    if (own.kept === null || own.kept.elements <= elements) own.kept = { elements, drawn: ${SERIALIZE} };
    press(all[index]);
    await frame();
    return { before, index, isSole };`);

/** Clicks the first button of a cookie banner that is in sight. Resolves with whether there was one. */
export const closeBanner = (selectors: readonly string[]) =>
  scripted(`for (const selector of ${JSON.stringify(selectors)}) {
      const button = everywhere(selector).find((element) => isUsable(element) && !own.clicked.has(element));
      if (button !== undefined) { press(button); return true; }
    }
    return false;`);

/** Goes back by one entry of the history, which a click has added. */
export const GO_BACK = scripted(`await new Promise((resolve) => {
    addEventListener("popstate", () => resolve(), { once: true });
    setTimeout(resolve, 500);
    history.back();
  });
  return true;`);

/** Forgets the page that is kept. */
export const FORGET = scripted("own.kept = null; return true;");

/**
 * The page as HTML: the one that is kept, if it is fuller or the address is another. `seen`: links that it has lost.
 */
export const SERIALIZE_ACTED = scripted(`look();
  const now = ${SERIALIZE};
  const isKept = own.kept !== null && (own.kept.drawn.href !== now.href || own.kept.elements > countElements());
  if (!isKept) for (const link of document.links) own.seen.delete(addressOf(link));
  return { ...(isKept ? own.kept.drawn : now), seen: [...own.seen] };`);
