import { type Options, storedDefaults, type Values } from "../options/option-table.ts";

/** The actions of a browser on a page before it is read, and their results. */

export type PageActions = Values<Options>["renderOptions"];
export type Viewport = PageActions["viewport"];

export const DEFAULT_ACTIONS: PageActions = storedDefaults().renderOptions;

/** What was done on a page. */
export interface ActionsDone {
  /** The selector that was waited for, and whether an element matched it in time; null if none was given. */
  waited: { selector: string; found: boolean } | null;
  banners: number;
  scrolls: number;
  clicks: number;
  /** Clicks that led to another address. The page stays, and the address is a link of it. */
  ways: number;
  /** Whether time or the maximum of clicks was up before all was done. */
  isCut: boolean;
  /** Selectors that the browser refused. */
  refused: string[];
}

/** Whether these take time on a page. The size of the window does not. */
export function hasActions({ waitFor, click, scroll, dismissBanners }: PageActions): boolean {
  return waitFor !== "" || click.length > 0 || scroll > 0 || dismissBanners;
}

export function areDefaultActions(actions: PageActions): boolean {
  const { width, height } = actions.viewport;
  const usual = DEFAULT_ACTIONS.viewport;
  return !hasActions(actions) && width === usual.width && height === usual.height;
}

/** Parses stored actions. Those that an earlier version did not know get their defaults. */
export function readActions(stored: Partial<PageActions> | undefined): PageActions {
  return { ...DEFAULT_ACTIONS, ...stored, viewport: { ...DEFAULT_ACTIONS.viewport, ...stored?.viewport } };
}

/** For people, as the end of a sentence on why the page was drawn: `scrolled 3 times, clicked once`. */
export function describeActions({ waited, banners, scrolls, clicks, ways, isCut, refused }: ActionsDone): string {
  const facts = [
    ...(waited === null ? [] : [`${waited.selector} ${waited.found ? "came" : "did not come"}`]),
    ...(banners === 0 ? [] : [banners === 1 ? "closed a cookie banner" : `closed ${banners} cookie banners`]),
    ...(scrolls === 0 ? [] : [`scrolled ${times(scrolls)}`]),
    ...(clicks === 0 ? [] : [`clicked ${times(clicks)}`]),
    ...(ways === 0 ? [] : [`${ways === 1 ? "a click" : `${ways} clicks`} led to other addresses`]),
    ...(isCut ? ["ended before all was done"] : []),
    ...refused.map((selector) => `the browser knows no selector ${selector}`),
  ];
  return facts.length === 0 ? "there was nothing to click or to scroll" : facts.join(", ");
}

function times(n: number): string {
  return n === 1 ? "once" : n === 2 ? "twice" : `${n} times`;
}
