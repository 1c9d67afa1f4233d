import { expect, test } from "vitest";
import { DEFAULT_ACTIONS, type PageActions } from "../../../../src/crawl/page/page-actions.ts";
import { type ActedPage, actOnPage, isOtherPage } from "../../../../src/fetch/browser/act-on-page.ts";
import { clickNext, GO_BACK, MEASURE, SCROLL } from "../../../../src/fetch/browser/action-scripts.ts";
import { BANNER_BUTTONS } from "../../../../src/fetch/browser/banner-buttons.ts";
import { isSelector } from "../../../../src/media/html/fields/selector-problem.ts";

/** A page that answers the scripts as a browser would: it has one button, and an end to scroll to. */
class FakePage implements ActedPage {
  left = 30_000;
  href = "https://a.test/list";
  entries = 1;
  clicks = 0;
  /** What the button does. */
  onClick: () => void;
  size = 0;

  constructor(onClick: (page: FakePage) => void) {
    this.onClick = () => onClick(this);
  }

  async run(script: string): Promise<unknown> {
    if (script === MEASURE) return this.#measure();
    if (script === SCROLL) {
      const before = this.#measure();
      this.size += 1;
      return before;
    }
    if (script === GO_BACK) {
      this.href = "https://a.test/list";
      this.entries -= 1;
      return true;
    }
    const again = script === clickNext(".more", 0, true);
    if (script !== clickNext(".more", 0, false) && !again) return null;
    if (this.clicks > 0 && !again) return null;
    const before = this.#measure();
    this.clicks += 1;
    this.onClick();
    return { before, index: 0, isSole: true };
  }

  async settle(): Promise<boolean> {
    this.left -= 100;
    return true;
  }

  leftMs = () => Math.max(1, this.left);
  navigations = () => 0;

  #measure() {
    return { href: this.href, state: String(this.size), entries: this.entries };
  }
}

const act = (page: FakePage, actions: Partial<PageActions>) => actOnPage(page, { ...DEFAULT_ACTIONS, ...actions });

test("a button that brings more for ever is clicked fifty times", async () => {
  const { done } = await act(new FakePage((page) => (page.size += 1)), { click: [".more"] });
  expect(done).toMatchObject({ clicks: 50, ways: 0, isCut: true });
});

test("a button that brings nothing more is left", async () => {
  const { done, isDrawn } = await act(new FakePage((page) => (page.size = Math.min(3, page.size + 1))), {
    click: [".more"],
  });
  expect(done).toMatchObject({ clicks: 4, isCut: false });
  expect(isDrawn).toBe(true);
});

test("a list without an end is scrolled as often as is asked for", async () => {
  const { done } = await act(new FakePage(() => undefined), { scroll: 7 });
  expect(done).toMatchObject({ scrolls: 7, clicks: 0 });
});

test("actions end with the time of the page", async () => {
  const page = new FakePage(() => undefined);
  page.left = 450;
  const { done } = await act(page, { scroll: 100 });
  expect(done.scrolls).toBeLessThan(5);
  expect(done.isCut).toBe(true);
});

test("a click that adds an entry to the history is a link, and the page comes back", async () => {
  const page = new FakePage((clicked) => {
    clicked.href = "https://a.test/team";
    clicked.entries += 1;
    clicked.size += 5;
  });
  const { done, ways } = await act(page, { click: [".more"] });
  expect([done.clicks, done.ways, done.isCut, ways]).toEqual([1, 1, false, ["https://a.test/team"]]);
  expect(page.href).toBe("https://a.test/list");
});

test("a page that has replaced its address is left alone", async () => {
  const page = new FakePage((clicked) => (clicked.href = "https://a.test/team"));
  const { done, ways } = await act(page, { click: [".more", ".other"] });
  expect([done.clicks, done.isCut, ways]).toEqual([1, true, ["https://a.test/team"]]);
});

test("a page that answers no more ends the actions", async () => {
  const page = new FakePage(() => undefined);
  page.run = async () => {
    throw new Error("Execution context was destroyed");
  };
  const { done } = await act(page, { waitFor: ".a", scroll: 5, click: [".more"] });
  expect(done).toMatchObject({ waited: { selector: ".a", found: false }, scrolls: 0, clicks: 0, isCut: true });
});

test.each([
  ["https://a.test/", "https://a.test/", false],
  ["https://a.test/", "https://a.test/#top", false],
  ["https://a.test/#top", "https://a.test/", false],
  ["https://a.test/", "https://a.test/#/team", true],
  ["https://a.test/", "https://a.test/#!team", true],
  ["https://a.test/", "https://a.test/?page=2", true],
  ["https://a.test/#/team", "https://a.test/#/jobs", true],
])("from %s to %s leads elsewhere: %s", (before, after, isOther) => {
  expect(isOtherPage(before, after)).toBe(isOther);
});

test("each button of a banner is a selector, once", () => {
  expect(BANNER_BUTTONS.filter((selector) => !isSelector(selector))).toEqual([]);
  expect(new Set(BANNER_BUTTONS).size).toBe(BANNER_BUTTONS.length);
});
