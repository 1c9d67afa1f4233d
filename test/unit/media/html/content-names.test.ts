import { describe, expect, test } from "vitest";
import { contentOf } from "./make-content.ts";

/** Nothing is cut for its name alone: sections about the words that themes use for their surroundings. */

const WORDS = (
  "pagination cookies modal menu related languages sidebar toc share footer comments newsletter social navigation " +
  "overlay dropdown toolbar popup subscribe header banner sponsor tags meta hidden widget scroll author remark extra " +
  "byline timestamp dateline post-date article-info entry-meta"
).split(" ");
const TIMES = [3, 1, 2, 4];
const PROSE = "Here stands, with commas, what a person should know of it, at some length. ";

/** A page with four sections, each under its own heading. `mark` gives the third its name. */
function page(shape: string, head: string, section: (at: number) => string): string {
  const sections = TIMES.map((_, at) => section(at)).join("");
  const body = `<h1>About the site</h1><p>${PROSE}</p>${sections}`;
  return `<html><head><title>About the site - Example</title>${head}</head><body>${shape.replace("%", body)}</body></html>`;
}

const SHAPES = {
  "a body": "%",
  "a main": "<nav><a href=/>Home</a></nav><main>%</main><footer>© Example</footer>",
  "a div": "<div class=top><a href=/>Home</a> <a href=/b>B</a></div><div class=content>%</div>",
  "an article": "<div id=wrap><article>%</article></div>",
};
const CLAIMS = { "a page": "", "an article": "<meta property=og:type content=article>" };

const prose = (at: number) => `<p>Section ${at} begins. ${PROSE.repeat(TIMES[at] ?? 1)}</p>`;
/** Where the name stands: each writes section `at` with the attribute. */
const PLACES: Record<string, (at: number, attribute: string) => string> = {
  section: (at, attribute) =>
    `<section ${attribute}><h2>Heading ${at}</h2>${prose(at)}<pre>code ${at}\n  more</pre></section>`,
  heading: (at, attribute) => `<h2 ${attribute}>Heading ${at}</h2>${prose(at)}<pre>code ${at}\n  more</pre>`,
  div: (at, attribute) => `<h2>Heading ${at}</h2><div ${attribute}>${prose(at)}<pre>code ${at}\n  more</pre></div>`,
  "div with a word": (at, attribute) =>
    `<h2>Heading ${at}</h2><div ${attribute}><p>Section ${at} is short.</p></div><pre>code ${at}\n  more</pre>`,
  paragraph: (at, attribute) =>
    `<h2>Heading ${at}</h2><p ${attribute}>Section ${at}: see <a href=/x>the other page</a>.</p><pre>code ${at}\n  more</pre>`,
  definition: (at, attribute) =>
    `<h2>Heading ${at}</h2><dl><dt ${attribute}>Section ${at}</dt><dd ${attribute}>Its meaning.</dd></dl><pre>code ${at}\n  more</pre>`,
};

const CONTEXTS = Object.entries(SHAPES)
  .flatMap(([shape, body]) => Object.entries(CLAIMS).map(([claim, head]) => ({ shape, body, claim, head })))
  .map((context, turn) => ({ ...context, turn }));

describe.each(CONTEXTS)("in $shape of what calls itself $claim", ({ body, head, turn }) => {
  test.each(Object.entries(PLACES))("a named %s stays", (_, write) => {
    for (const [at, word] of WORDS.entries()) {
      // The contexts take turns: each word stands in each place with each attribute, in two or three contexts.
      const attributes = [`class="${word}"`, `id="${word}"`, `class="x ${word}-2" id="${word}"`];
      const attribute = attributes[(at + turn) % attributes.length] ?? "";
      const html = page(body, head, (section) => write(section, section === 2 ? attribute : ""));
      const { markdown = "" } = contentOf(html, ["markdown"]);
      const missing = TIMES.flatMap((_, section) => [
        `## Heading ${section}`,
        `Section ${section}`,
        `\`\`\`\ncode ${section}\n`,
      ]).filter((text) => !markdown.includes(text));
      expect({ attribute, missing }).toEqual({ attribute, missing: [] });
      expect(markdown).toMatch(/^# About the site$/m);
    }
  });
});

describe("stays", () => {
  test.each([
    [
      "a list of links under its heading",
      "<section class=related><h2>Kept</h2><ul><li><a href=/a>A</a><li><a href=/b>B</a></ul></section>",
    ],
    ["a note", '<div role=alert class="alert"><h4>Kept</h4><p>Do not do this.</p></div>'],
    ["an aside with text", `<aside><h3>Kept</h3><p>${PROSE}</p></aside>`],
    ["a footer with notes", "<footer><h2>Kept</h2><p>One note.</p></footer>"],
    ["a heading in a link to itself", '<h2><a class="header-anchor" href="#x">Kept</a></h2><p>Text.</p>'],
    ["a heading that is a button", "<h3><button>Kept</button></h3><p>Answer.</p>"],
    ["code in a box named gutter", "<div class=gutter><pre>Kept</pre></div>"],
    ...["sr-only", "visually-hidden", "edit-link", "anchor-link", "header-anchor"].flatMap((name) => [
      [`a paragraph named ${name}`, `<p class="${name}">Kept</p>`],
      [`a term named ${name}`, `<dl><dt class="${name}">Kept</dt><dd>Its meaning.</dd></dl>`],
      [`a definition named ${name}`, `<dl><dt>Term</dt><dd class="${name}">Kept</dd></dl>`],
      [`a cell named ${name}`, `<table><tr><th>A<th>B<tr><td>C<td class="${name}">Kept</table>`],
    ]),
    ...["edit-link", "anchor-link", "header-anchor"].flatMap((name) => [
      [`a link named ${name} in a sentence`, `<p>See <a class="${name}" href=/x>Kept</a>.</p>`],
      [`a link named ${name} in a text`, `<div>${PROSE}See <a class="${name}" href=/x>Kept</a>.</div>`],
      [`a link named ${name} to an editor`, `<p><a class="${name}" href=/x>Editors Kept</a>.</p>`],
      [`a word named ${name}`, `<p>It is <span class="${name}">Kept</span> here.</p>`],
    ]),
  ])("%s", (_, part) => {
    for (const head of ["", "<meta name=generator content=Sphinx>"]) {
      const html = `<title>T</title>${head}<main><h1>T</h1><p>${PROSE.repeat(4)}</p>${part}<h2>Next</h2><p>${PROSE.repeat(4)}</p></main>`;
      expect(contentOf(html, ["markdown"]).markdown).toContain("Kept");
    }
  });
});

test.each([
  '<h2>Name <a class="headerlink" href="#n">Gone</a></h2>',
  '<h2>Name <a class="edit-link" href="/edit">Gone</a></h2>',
  '<div class="mw-heading"><h2>Name</h2><span class="mw-editsection">[<a href="/edit">Gone</a>]</span></div>',
  '<p>Name <a class="edit-link" href="/edit">Edit Gone</a></p>',
  '<p>Name <span class="sr-only">Gone</span></p>',
])("the marks of a heading and texts for screen readers go: %s", (part) => {
  const { markdown } = contentOf(`<main><h1>T</h1><p>${PROSE.repeat(4)}</p>${part}<p>${PROSE}</p></main>`, [
    "markdown",
  ]);
  expect(markdown).toContain("Name");
  expect(markdown).not.toContain("Gone");
});

describe("the page's own h1", () => {
  const body = `<p>${PROSE.repeat(6)}</p><h2>More</h2><p>${PROSE.repeat(6)}</p>`;
  const ARTICLE = "<meta property=og:type content=article>";
  test.each([
    ["in an article with its title", `<title>Own name</title>${ARTICLE}<article><h1>Own name</h1>${body}</article>`],
    [
      "in the article's header",
      `<title>Own name | Site</title>${ARTICLE}<article><header><h1>Own name</h1></header>${body}</article>`,
    ],
    ["above the main", `<title>Own name | Site</title><div><h1>Own name</h1></div><main>${body}</main>`],
    [
      "above an article beside the site's name",
      `<title>Own name</title>${ARTICLE}<h1><a href=/>Site</a></h1><div class=title><h1>Own name</h1></div><div class=text>${body}</div>`,
    ],
    [
      "named like its headline",
      `<title>Site</title><meta property=og:title content="Own name">${ARTICLE}<h1>Own name</h1><main>${body}</main>`,
    ],
    [
      "at the end of the title, above the main",
      `<title>Site - Own name</title><h1><a href=/>Site</a></h1><div><h1>Own name</h1></div><main>${body}</main>`,
    ],
  ])("stays: %s", (_, html) => {
    expect(contentOf(html, ["markdown"]).markdown?.match(/^# .*$/gm)).toEqual(["# Own name"]);
  });

  test.each([
    ["the site's name at the end of a headline", `<title>Own name | Site</title><h2>Own name</h2><h1>Site</h1>`],
    ["one of several", `<title>Site - Own name</title><h1>Name</h1><h1>Own name</h1>`],
    [
      "a name that is not in its headline",
      `<title>Own name | Site</title><meta property=og:title content="Own name"><h1>Site</h1>`,
    ],
  ])("is not %s", (_, top) => {
    expect(contentOf(`${top}<main>${body}</main>`, ["markdown"]).markdown).not.toMatch(/^# /m);
  });
});
