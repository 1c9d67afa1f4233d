import { systemClock } from "../../core/clock.ts";
import type { ActionsDone, PageActions } from "../../crawl/page/page-actions.ts";
import {
  type Click,
  clickNext,
  closeBanner,
  FORGET,
  GO_BACK,
  MEASURE,
  type Measure,
  SCROLL,
  waitForElement,
} from "./action-scripts.ts";
import { BANNER_BUTTONS } from "./banner-buttons.ts";

/**
 * Does on a drawn page what people do: waits for an element, closes cookie banners, scrolls, clicks. Each step waits
 * until the page is quiet. A click that leads elsewhere is a link: the page goes back, and stays what it was.
 */

/** Time for the element that the page waits for, in milliseconds. */
const WAIT_MS = 10_000;
/** After that element has come, a page that never rests is not waited for, in milliseconds. */
const ELEMENT_SETTLING_MS = 1_000;
/** Clicks on one page, each with a rest of the page. */
const MAX_CLICKS = 50;
const MAX_BANNERS = 3;
/** Clicks in a row that change nothing. */
const MAX_IDLE_CLICKS = 3;
/** Some pages begin to load a moment after a scroll or a click. In milliseconds. */
const LOADING_PATIENCE_MS = 400;

/** A page in the hands of whoever draws it. */
export interface ActedPage {
  /** Runs a script in the world of our own. Rejects if it fails or takes longer than the page's time. */
  run(script: string): Promise<unknown>;
  /** Waits until the page is quiet, at most for so long. Resolves with whether it is. */
  settle(maxMs: number): Promise<boolean>;
  /** Time that is left for the page, in milliseconds. */
  leftMs(): number;
  /** Number of navigations that the page has tried. */
  navigations(): number;
}

export interface Acted {
  done: ActionsDone;
  /** Whether the page was quiet in the end, or has what it was to wait for. */
  isDrawn: boolean;
  /** Absolute URLs to which clicks led by the history. */
  ways: string[];
}

/**
 * Never throws, unless the page itself is gone: what fails ends the actions. A request without an answer takes at most
 * half of the time that is left, so that the next steps have some.
 */
export async function actOnPage(page: ActedPage, actions: PageActions): Promise<Acted> {
  const acting = new Acting(page);
  const { done } = acting;
  const { waitFor, dismissBanners } = actions;
  let isDrawn = false;
  if (waitFor !== "") {
    const found =
      (await acting.run<boolean>(waitForElement(waitFor, Math.min(WAIT_MS, page.leftMs())), waitFor)) === true;
    done.waited = { selector: waitFor, found };
    const isQuiet = await page.settle(found ? ELEMENT_SETTLING_MS : page.leftMs() / 2);
    isDrawn = found || isQuiet;
  } else isDrawn = await page.settle(page.leftMs() / 2);
  for (let i = 0; dismissBanners && i < MAX_BANNERS; i++) {
    if ((await acting.run<boolean>(closeBanner(BANNER_BUTTONS))) !== true) break;
    done.banners += 1;
    isDrawn = await page.settle(page.leftMs() / 2);
  }
  await acting.scroll(actions.scroll);
  for (const selector of actions.click) await acting.click(selector);
  // A click may have opened a list. A page that went elsewhere and back may have lost what it had.
  if (done.clicks > 0 && acting.ways.size === 0) await acting.scroll(actions.scroll - done.scrolls);
  if (page.leftMs() <= 1) done.isCut = true;
  return { done, isDrawn: (isDrawn || done.waited?.found === true) && acting.isQuiet, ways: [...acting.ways] };
}

class Acting {
  readonly done: ActionsDone = {
    waited: null,
    banners: 0,
    scrolls: 0,
    clicks: 0,
    ways: 0,
    isCut: false,
    refused: [],
  };
  readonly ways = new Set<string>();
  isQuiet = true;
  readonly #page: ActedPage;
  /** Whether the page is elsewhere and does not come back, or answers no more. */
  #isLost = false;

  constructor(page: ActedPage) {
    this.#page = page;
  }

  /** Null if the page does not answer, and for a selector that the browser refuses. */
  async run<T>(script: string, selector?: string): Promise<T | null> {
    if (this.#isLost || this.#page.leftMs() <= 1) return null;
    try {
      return (await this.#page.run(script)) as T;
    } catch (error) {
      const isRefused = selector !== undefined && /not a valid selector/.test(String(error));
      if (isRefused) this.done.refused.push(selector);
      else this.#lose();
      return null;
    }
  }

  /** Scrolls to the end until nothing comes any more, at most so often. */
  async scroll(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const before = await this.run<Measure>(SCROLL);
      if (before === null) return;
      this.done.scrolls += 1;
      const after = await this.#afterwards(before);
      if (after === null || after.state === before.state) return;
    }
  }

  /** Clicks each element that matches. A single one is clicked as long as it brings something. */
  async click(selector: string): Promise<void> {
    let from = 0;
    let again = false;
    let idle = 0;
    while (idle < MAX_IDLE_CLICKS) {
      if (this.done.clicks >= MAX_CLICKS) {
        this.done.isCut = true;
        break;
      }
      const tried = this.#page.navigations();
      const click: Click | null = await this.run<Click | null>(clickNext(selector, from, again), selector);
      if (click === null) break;
      this.done.clicks += 1;
      const before: Measure = click.before;
      const after: Measure | null = await this.#afterwards(before, tried);
      if (after === null) return;
      const isElsewhere = isOtherPage(before.href, after.href);
      const isWay = isElsewhere || this.#page.navigations() > tried;
      if (isWay) {
        from = click.index + 1;
        this.done.ways += 1;
      }
      if (isElsewhere && !(await this.#return(before, after))) return;
      const hasChanged: boolean = after.state !== before.state;
      again = hasChanged && !isWay && click.isSole;
      idle = hasChanged || isWay ? 0 : idle + 1;
    }
    // Without a way, the page as it is now counts, even if it has become smaller.
    if (this.ways.size === 0) await this.run(FORGET);
  }

  /** Goes back to the page before the click. Returns whether it is there again. */
  async #return(before: Measure, after: Measure): Promise<boolean> {
    this.ways.add(after.href);
    // An entry that was replaced has nothing to go back to.
    if (after.entries > before.entries && (await this.run(GO_BACK)) !== null) {
      await this.#page.settle(this.#page.leftMs() / 2);
      if ((await this.#measure())?.href === before.href) return true;
    }
    this.#lose();
    return false;
  }

  #lose(): void {
    this.#isLost = true;
    this.done.isCut = true;
  }

  async #measure(): Promise<Measure | null> {
    return this.run<Measure>(MEASURE);
  }

  /** What the page looks like when it is quiet. One that has not changed gets a moment more. */
  async #afterwards(before: Measure, tried = this.#page.navigations()): Promise<Measure | null> {
    this.isQuiet = await this.#page.settle(this.#page.leftMs() / 2);
    const after = await this.#measure();
    const isIdle = after?.state === before.state && after.href === before.href;
    if (!isIdle || this.#page.navigations() > tried) return after;
    await systemClock.sleep(Math.min(LOADING_PATIENCE_MS, this.#page.leftMs()));
    this.isQuiet = await this.#page.settle(this.#page.leftMs() / 2);
    return this.#measure();
  }
}

/** A fragment that is no route names a place in the same page. */
export function isOtherPage(before: string, after: string): boolean {
  if (before === after) return false;
  const [page, fragment = ""] = after.split("#", 2) as [string, string?];
  return page !== before.split("#", 1)[0] || /^[!/]/.test(fragment);
}
