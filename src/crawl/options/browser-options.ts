import { choice, flag, integer, lines, text } from "./option.ts";

/** Which pages a browser draws, and what it does on them. */

/** CSS pixels of a window's side. */
const MIN_SIDE = 100;
const MAX_SIDE = 4_096;

export const BROWSER_OPTIONS = {
  render: choice("--render <mode>", ["never", "auto", "always"], "never", {
    label: "Draw pages in a browser",
    sentence:
      "Which pages a browser draws before they are read: none (`never`), those that are empty without their scripts (`auto`), or all (`always`).",
    elsewhere: { cloudflare: "render" },
  }),
  screenshot: flag("--screenshot", false, {
    label: "Keep pictures of drawn pages",
    sentence:
      "Keep a picture of each page that a browser draws: a JPEG as wide as the window and up to 4,000 pixels high. Its images and fonts are fetched for that.",
  }),
  "renderOptions.waitFor": text("--wait-for <selector>", {
    label: "Wait for element",
    sentence:
      "CSS selector. The page counts as drawn when an element matches it, or after ten seconds. Empty: the page is drawn when it is quiet.",
    see: "reading.md#what-is-done-on-a-page",
    elsewhere: { cloudflare: "waitForSelector.selector" },
  }),
  "renderOptions.click": lines("--click <selector>", {
    label: "Click elements",
    example: "button.load-more\n[role=link]",
    sentence:
      "CSS selectors of elements to click, in this order, after scrolling. A single element that matches is clicked until it brings nothing more or is gone. A click that leads to another address makes that address a link.",
  }),
  "renderOptions.scroll": integer("--scroll <n>", 0, 100, 0, {
    label: "Scroll to the end (times)",
    sentence:
      "Maximum number of times to scroll to the end of the page, for lists that load more. It stops where nothing comes.",
  }),
  "renderOptions.dismissBanners": flag("--dismiss-banners", false, {
    label: "Close cookie banners",
    sentence:
      "Close the cookie banners of common consent managers: refuse where the banner lets, and accept otherwise.",
  }),
  "renderOptions.viewport.width": integer(null, MIN_SIDE, MAX_SIDE, 1_280, {
    label: "Window width",
    unit: "px",
    sentence: "Width of the browser's window.",
    elsewhere: { cloudflare: "viewport.width" },
  }),
  "renderOptions.viewport.height": integer(null, MIN_SIDE, MAX_SIDE, 720, {
    label: "Window height",
    unit: "px",
    sentence: "Height of the browser's window.",
    elsewhere: { cloudflare: "viewport.height" },
  }),
};
