import { describe, expect, test } from "vitest";
import { contentOf } from "./make-content.ts";
import { wordOverlap } from "./word-overlap.ts";

/**
 * Pages of common kinds with all that themes put around their content: menus, clouds of tags, teasers, what others
 * read, forms, footers. How much of the text is content, and how much of the content is there.
 */

const SUBJECTS = "loom shuttle warp weft reed heddle treadle bobbin selvedge fleece spindle distaff".split(" ");
const FORMS = [
  (a: string, b: string) =>
    `The ${a} was set beside the ${b} before the first thread was drawn, as the old weavers did.`,
  (a: string, b: string) => `Nobody who has worked a ${a} for a winter will say that the ${b} matters less.`,
  (a: string, b: string) => `If the ${a} slips, stop at once, lift the ${b} and wind the loose yarn back by hand.`,
  (a: string, b: string) => `In the north they keep the ${a} dry over the stove, and oil the ${b} twice a year.`,
];

function sentences(seed: number, count: number): string {
  return Array.from({ length: count }, (_, at) => {
    const pick = (step: number) => SUBJECTS[(seed * 7 + at * step + 3) % SUBJECTS.length] ?? "";
    return FORMS[(seed + at) % FORMS.length]?.(pick(5), pick(11)) ?? "";
  }).join(" ");
}

const paragraphs = (seed: number, count: number) =>
  Array.from({ length: count }, (_, at) => `<p>${sentences(seed + at, 4)}</p>`).join("\n");
const links = (names: string) =>
  names
    .split(", ")
    .map((name) => `<li><a href="/${name.toLowerCase().replaceAll(" ", "-")}">${name}</a></li>`)
    .join("");

const HEADER = `<header class="site-header"><a class="logo" href="/">Weaver's Yard</a><form class="search"><input name=q placeholder=Search><button>Go</button></form>
<ul class="main-menu">${links("Home, Shop, Courses, Journal, About us, Contact, Basket, My account")}</ul></header>
<div class="crumbs"><a href="/">Home</a> › <a href="/journal">Journal</a> › Here</div>`;
const TEASERS = `<div class="teaser-row"><h3>You might also like</h3>${[
  "Dyeing with walnut",
  "A loom in a suitcase",
  "Twelve knots",
]
  .map(
    (name, at) =>
      `<div class="card"><a href="/t${at}"><img src="/t${at}.jpg" alt=""><h4>${name}</h4></a><p>${sentences(40 + at, 1)}</p><a href="/t${at}">Read more</a></div>`,
  )
  .join("")}</div>`;
const SIDEBAR = `<div class="right-column"><div class="widget"><h4>Most read</h4><ol>${links("How to warp in an hour, Why wool felts, Our summer fair, Looms for children, Prices of flax")}</ol></div>
<div class="widget"><h4>Tags</h4><div class="cloud">${SUBJECTS.map((word) => `<a href="/tag/${word}">${word}</a>`).join(" ")}</div></div>
<div class="widget"><h4>Letter</h4><p>News by mail, once a month. No more than that.</p><form><input type=email><button>Subscribe</button></form></div></div>`;
const FOOTER = `<footer><div class="cols"><ul>${links("Imprint, Privacy, Terms, Delivery, Returns, Jobs")}</ul><ul>${links("Mastodon, Pixelfed, RSS")}</ul></div>
<p>© 2026 Weaver's Yard Ltd. All rights reserved. Registered in no country at all.</p></footer>`;
const page = (title: string, body: string, head = "") =>
  `<!doctype html><html lang=en><head><title>${title} | Weaver's Yard</title>${head}</head><body class="theme">${HEADER}<div class="wrap">${body}</div>${FOOTER}</body></html>`;

const ARTICLE = `<h1>The winter of the old loom</h1>${paragraphs(1, 5)}<h2>What came of it</h2>${paragraphs(7, 3)}`;
const PRODUCT = `<h1>Table loom, 60 cm</h1><p class="price">€ 349.00</p><div class="description">${paragraphs(20, 2)}<ul><li>Weight: 9 kg</li><li>Beech wood, oiled</li><li>Reed with 40 dents for each 10 cm</li></ul></div><table class="specs"><tr><th>Width</th><td>60 cm</td></tr><tr><th>Shafts</th><td>Eight shafts</td></tr></table>`;
const LISTED = Array.from(
  { length: 14 },
  (_, at) =>
    `<div class="entry"><h2><a href="/p${at}">Entry number ${at}: ${SUBJECTS[at % SUBJECTS.length]}</a></h2><p>${sentences(60 + at, 2)}</p></div>`,
).join("");
const THREAD = Array.from(
  { length: 8 },
  (_, at) =>
    `<div class="topic-post"><div class="author-box"><a href="/u${at}">weaver${at}</a></div><div class="post-body"><p>${sentences(80 + at, 3)}</p></div></div>`,
).join("");
const MANUAL = `<h1>Setting up</h1>${paragraphs(30, 1)}<h2>Install</h2><p>Run this first:</p><pre>weave --install loom\nweave --check</pre><h2>Options</h2><table><thead><tr><th>Name<th>Meaning</thead><tr><td>--warp<td>Length of the warp in metres<tr><td>--weft<td>Colour of the weft</table>${paragraphs(33, 2)}<h3>Note</h3><p>${sentences(36, 1)}</p>`;
const SERVICE = `<section class="hero"><h1>We repair looms</h1><p>${sentences(50, 1)}</p></section>${[
  "Inspection",
  "Repair",
  "Restoration",
]
  .map((name, at) => `<section><h2>${name}</h2><p>${sentences(52 + at, 2)}</p></section>`)
  .join("")}<section class="faq"><h2>Questions</h2><h3>How long does it take?</h3><p>${sentences(57, 1)}</p></section>`;

const text = (html: string) =>
  html.replace(/<(?:p|div|h\d|li|td|th|tr|pre|section)[^>]*>/g, "\n").replace(/<[^>]*>/g, "");

/** The content, the page around it, and the least precision and recall of its words. */
const PAGES: [kind: string, content: string, html: string, precision: number, recall: number][] = [
  [
    "an article",
    ARTICLE,
    page(
      "The winter of the old loom",
      `<div class="left"><div class="text">${ARTICLE}</div>${TEASERS}</div>${SIDEBAR}`,
    ),
    0.95,
    0.97,
  ],
  [
    "an article that says so",
    ARTICLE,
    page(
      "The winter of the old loom",
      `<article>${ARTICLE}</article>${TEASERS}${SIDEBAR}`,
      "<meta property=og:type content=article>",
    ),
    0.95,
    0.97,
  ],
  [
    "an article in a table",
    ARTICLE,
    page("The winter of the old loom", `<table><tr><td>${ARTICLE}${TEASERS}</td><td>${SIDEBAR}</td></tr></table>`),
    0.9,
    0.95,
  ],
  ["a product", PRODUCT, page("Table loom, 60 cm", `<div class="product">${PRODUCT}</div>${TEASERS}`), 0.85, 0.9],
  ["a list", LISTED, page("Journal", `<div class="list">${LISTED}</div>${SIDEBAR}`), 0.9, 0.95],
  [
    "a thread",
    THREAD,
    page("How do I warp?", `<h1>How do I warp?</h1><div class="thread">${THREAD}</div>${SIDEBAR}`),
    0.85,
    0.9,
  ],
  [
    "a manual",
    MANUAL,
    page(
      "Setting up",
      `<div class="sidebar"><ul>${links("Overview, Setting up, First cloth, Patterns, Reference, Questions")}</ul></div><div class="doc">${MANUAL}</div>`,
    ),
    0.9,
    0.97,
  ],
  ["a service", SERVICE, page("Repairs", `${SERVICE}`), 0.85, 0.9],
];

describe("of the text of", () => {
  test.each(PAGES)("%s", (_, content, html, leastPrecision, leastRecall) => {
    const { precision, recall } = wordOverlap(contentOf(html, ["text"]).text ?? "", text(content));
    expect({ precision, recall }).toSatisfy(() => precision >= leastPrecision && recall >= leastRecall);
  });
});

describe("a short page that is laid out by a table", () => {
  const MENU = `A site <ul><li><a href="/a">looms</a></li><li><a href="/b">yarns</a></li><li><a href="/c">dyes</a></li></ul>`;
  const TEXT = `<h1>Weaving</h1><p>${sentences(3, 4)}</p>`;

  test.each([
    ["in a row above", `<tr><td colspan="2">${MENU}</td></tr><tr><td>${TEXT}</td><td></td></tr>`],
    ["in a cell beside", `<tr><td>${MENU}</td><td>${TEXT}</td></tr>`],
  ])("has no menu in its text: %s", (_, rows) => {
    const { text } = contentOf(`<body><table>${rows}</table></body>`);
    expect(text).toContain(sentences(3, 4).slice(0, 60));
    expect(text).not.toContain("yarns");
  });

  test("keeps the links of a table with data, and those below its text", () => {
    const data = `<table><tr><th>Yarn</th><th>Shop</th></tr><tr><td><a href="/a">wool</a></td><td><a href="/b">north</a></td></tr></table>`;
    expect(contentOf(`<body>${data}<p>${sentences(3, 4)}</p></body>`).text).toContain("wool");
    const below = `<table><tr><td>${TEXT}</td></tr><tr><td>${MENU}</td></tr></table>`;
    expect(contentOf(`<body>${below}</body>`).text).toContain("yarns");
  });
});
