import { describe, expect, test } from "vitest";
import type { DocumentRequest } from "../../../../src/media/document.ts";
import { extractPage } from "../../../../src/media/html/page.ts";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";
import { scanPage } from "../../../../src/media/html/tree/scan-page.ts";
import type { Link } from "../../../../src/media/links/links.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";

/** Pages of many links: each link is read, or counted as dropped. */

const SOURCE = { url: "https://example.com/dir/", contentType: "text/html" };
const REQUEST: DocumentRequest = {
  agent: "orbweaver",
  scriptLinks: false,
  requisites: false,
  formats: ["markdown"],
  obeyNoindex: true,
};
const count = (n: number, write: (at: number) => string) => Array.from({ length: n }, (_, at) => write(at)).join("");
const read = (html: string, changes: Partial<DocumentRequest> = {}) =>
  readHtml(new TextEncoder().encode(html), SOURCE, { ...REQUEST, ...changes });
const item = (at: number) => `<li class=item><a href="/item/${at}" title=t>item ${at}</a></li>\n`;

/** Without the words and the place, which nobody knows where the elements around a link are not read. */
const bare = ({ url, kind, nofollow, rel }: Link) => ({ url, kind, nofollow, rel });

const CASES: [string, () => string, { links: number; dropped: number; hasText: boolean }][] = [
  ["50,000 links", () => count(50_000, (at) => `<a href=/${at}>a</a>`), { links: 50_000, dropped: 0, hasText: true }],
  ["100,000 links", () => count(100_000, (at) => `<a href=/${at}></a>`), { links: 100_000, dropped: 0, hasText: true }],
  ["120,000 links", () => count(120_000, item), { links: 120_000, dropped: 0, hasText: false }],
  [
    "80,000 links in more nodes than a tree may have",
    () => count(80_000, item),
    { links: 80_000, dropped: 0, hasText: false },
  ],
  [
    "200,000 links",
    () => count(200_000, (at) => `<a href=/${at}>a</a>\n`),
    { links: 200_000, dropped: 0, hasText: false },
  ],
  [
    "200,000 relative links",
    () => count(200_000, (at) => `<a href=a/${at}>a</a>`),
    { links: 200_000, dropped: 0, hasText: false },
  ],
  [
    "260,000 links",
    () => count(260_000, (at) => `<a href=/${at}>a</a>`),
    { links: 250_000, dropped: 10_000, hasText: false },
  ],
  [
    "260,000 relative links",
    () => count(260_000, (at) => `<a href=${at}>a</a>`),
    { links: 250_000, dropped: 10_000, hasText: false },
  ],
  [
    "links nested deeper than a tree may be",
    () => `${"<b>".repeat(200_000)}${count(110_000, (at) => `<a href=/${at}>a</a></i>`)}`,
    { links: 110_000, dropped: 0, hasText: false },
  ],
];

test.each(CASES)("%s: each is read or counted", { timeout: 60_000 }, (_, write, expected) => {
  const { title, links, leftOut, content } = read(`<title>Ünï &amp; code</title>${write()}`);
  const { examples } = leftOut.links;
  expect({ links: links.length, dropped: leftOut.links.count, hasText: leftOut.problem === null }).toEqual({
    ...expected,
  });
  expect(new Set(links.map(({ url }) => url)).size).toBe(expected.links);
  expect([title, examples.length]).toEqual(["Ünï & code", Math.min(expected.dropped, 3)]);
  if (!expected.hasText) expect(content).toMatchObject({ markdown: "", metadata: { title: "Ünï & code" } });
});

test("requisites beyond a limit are counted", () => {
  const html = count(1_500, (at) => `<img src=${at}.png>`);
  const few = read(html, { requisites: true });
  expect([few.requisites.length, few.leftOut.requisites.count]).toEqual([1_000, 500]);
  const many = read(html + count(120_000, item), { requisites: true });
  expect([many.requisites, many.leftOut.requisites.count]).toEqual([few.requisites, 500]);
});

describe("a page that is read without a tree has the same head and links", () => {
  test.each([
    "<title> a\n&amp; b </title><meta name=description content='a &lt; b'><html lang=en>",
    "<meta name=ROBOTS content='noindex, nofollow'><meta name=orbweaver content=none><a href=a rel='x NOFOLLOW'>",
    "<base href=/other/><a href=x>1</a><base href=/second/><a href=../y#z>2</a>",
    "<link rel=canonical href=/c><link rel=next href=?p=2><link rel=stylesheet href=s.css>",
    "<meta http-equiv=refresh content='0; url=/next'><area href=/area alt=x><iframe src=/frame></iframe>",
    "<template><a href=/no></template><a href=/yes><template shadowrootmode=open><a href=/shadow></template>",
    "<template><template><a href=/no></template><a href=/no></template><a href=/yes>",
    "<noembed><a href=/no></noembed><noscript><a href=/yes></noscript><noframes><a href=/yes2></noframes>",
    "<svg><title>no</title><a xlink:href=/svg></a><base href=/no/></svg><title>yes</title><a href=x>",
    "<svg/><title>yes</title><a HREF='/a?b=1&amp;c=2' href=/second>",
    "<script>'<a href=/no>'</script><style>a { b: '<a href=/no>' }</style><textarea><a href=/no></textarea><a href=/yes>",
    "<!-- <a href=/no> --><!-- --!><a href=/yes><plaintext><a href=/no>",
    "<a href=/1<a href=/2><a href=/3 href=/4><a href='/5",
    "<a title='&quot;>' href=&#47;6>x<a href=\0>",
    "<script data-url=/hidden>var a = '/in-script'</script><p data-x='[\"/json\"]'>",
  ])("%s", (html) => {
    const request = { ...REQUEST, scriptLinks: true };
    const tree = extractPage(parseHtml(html), SOURCE.url, canonicalize, request);
    const scanned = scanPage(html, SOURCE, request, canonicalize);
    const { title, language, robots, links } = scanned;
    expect({ title, language, robots, links: links.map(bare) }).toEqual({
      title: tree.title,
      language: tree.language,
      robots: tree.robots,
      links: tree.links.map(bare),
    });
    expect(scanned.content?.metadata).toMatchObject({ description: tree.description, canonical: tree.canonical });
  });
});
