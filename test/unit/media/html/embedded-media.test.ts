import { expect, test } from "vitest";
import type { Document } from "../../../../src/media/document.ts";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";

const URL = "https://a.test/dir/page";
const request = { agent: "test", scriptLinks: false, requisites: false, formats: null, obeyNoindex: false };

function mediaOf(html: string, media = true): Document["media"] {
  return readHtml(new TextEncoder().encode(html), { url: URL, contentType: "text/html" }, { ...request, media }).media;
}

test.each([
  ['<img src="a.jpg">', ["a.jpg"]],
  ['<img src="data:image/gif;base64,R0" data-src="a.jpg">', ["a.jpg"]],
  ['<img srcset="s.jpg 1x, l.jpg 2x">', ["s.jpg"]],
  ['<picture><source srcset="a.avif"><img src="a.jpg" srcset="b.jpg 2x"></picture>', ["a.jpg"]],
  ['<img src="pixel.gif" width="1" height="1">', []],
  ['<video src="f.mp4" poster="p.jpg"></video>', ["p.jpg", "f.mp4"]],
  ['<video><source src="f.webm"><source src="f.mp4"></video>', ["f.webm", "f.mp4"]],
  ['<audio src="s.mp3"></audio><audio src="s.mp3"></audio>', ["s.mp3"]],
  ['<embed type="video/mp4" src="f.mp4"><embed src="x.pdf">', ["f.mp4"]],
  ['<object type="image/png" data="o.png"></object><object data="x.pdf"></object>', ["o.png"]],
  ['<a rel="enclosure nofollow" href="s.ogg">s</a><a href="t.ogg">t</a>', ["s.ogg"]],
  ['<img src=""><img src="javascript:x"><img>', []],
])("%s", (html, names) => expect(mediaOf(html)).toEqual(names.map((name) => `https://a.test/dir/${name}`)));

test("media are found only where they are asked for", () => {
  expect(mediaOf('<img src="a.jpg">', false)).toBeUndefined();
});

test("a page that is too large for a tree has its media too", () => {
  const html = `${'<a href="/x">x</a>'.repeat(101_000)}<img src="a.jpg">`;
  expect(mediaOf(html)).toEqual(["https://a.test/dir/a.jpg"]);
});
