import * as z from "zod";
import { isSelector } from "../changes/ignore-rules.ts";
import { DEFAULT_ACTIONS } from "../crawl/page-actions.ts";
import { flag, integer, requestOf } from "./fields.ts";

/** What the browser is to do on a page before it is read. */

const MAX_SELECTOR = 500;
const MAX_SELECTORS = 20;
const MAX_SCROLLS = 100;
/** CSS pixels. */
const MIN_SIDE = 100;
const MAX_SIDE = 4_096;

const selector = z
  .string()
  .max(MAX_SELECTOR)
  .refine((text) => text === "" || isSelector(text), { message: "it is not a CSS selector" });

const { width, height } = DEFAULT_ACTIONS.viewport;
export const viewportRequest = {
  width: integer(MIN_SIDE, MAX_SIDE, width).describe("Width of the browser's window, in CSS pixels."),
  height: integer(MIN_SIDE, MAX_SIDE, height).describe("Height of the browser's window, in CSS pixels."),
};
export const waitFor = selector.describe(
  "CSS selector. The page counts as drawn when an element matches it, or after ten seconds. Empty: the page is drawn when it is quiet.",
);

export const renderOptionsRequest = requestOf({
  waitFor: waitFor.default(DEFAULT_ACTIONS.waitFor),
  click: z
    .array(selector.min(1))
    .max(MAX_SELECTORS)
    .default(DEFAULT_ACTIONS.click)
    .describe(
      "CSS selectors of elements to click, in this order, after scrolling. A single element that matches is clicked until it brings nothing more or is gone. A click that leads to another address makes that address a link.",
    ),
  scroll: integer(0, MAX_SCROLLS, DEFAULT_ACTIONS.scroll).describe(
    "Maximum number of times to scroll to the end of the page, for lists that load more. It stops where nothing comes.",
  ),
  dismissBanners: flag(DEFAULT_ACTIONS.dismissBanners).describe(
    "Close the cookie banners of common consent managers: refuse where the banner lets, and accept otherwise.",
  ),
  viewport: requestOf(viewportRequest).prefault({}).describe("The size of the browser's window."),
});
