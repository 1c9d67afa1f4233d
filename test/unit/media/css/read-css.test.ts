import { expect, test } from "vitest";
import { readCss } from "../../../../src/media/css/read-css.ts";

const SOURCE = { url: "https://a.test/css/c.css", contentType: "text/css" };
const REQUEST = { agent: "", scriptLinks: false, formats: null, obeyNoindex: false };
const CSS = new TextEncoder().encode("@import 'b.css'; @font-face { src: url(../f.woff2) } a { b: url(c.css) }");

test("a style sheet's requisites are resolved against itself", () => {
  expect(readCss(CSS, SOURCE, { ...REQUEST, requisites: true }).requisites).toEqual([
    "https://a.test/css/b.css",
    "https://a.test/f.woff2",
  ]);
});

test("requisites are read only if requested", () => {
  expect(readCss(CSS, SOURCE, { ...REQUEST, requisites: false })).toMatchObject({ requisites: [], content: null });
});
