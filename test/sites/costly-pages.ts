/** Pages made to cost as much as they can: each writes its HTML. */

export const PROSE = "This is prose, with commas, and it is long enough to count as text. ";

export const COSTLY_PAGES: [name: string, write: () => string][] = [
  ["240,000 paragraphs", () => "<p>a</p>".repeat(240_000)],
  ["ten million characters", () => `<p>${"word ".repeat(2_000_000)}`],
  ["text below 4,900 elements", () => "<div>".repeat(4_900) + "text here ".repeat(100_000)],
  ["4,900 quotes", () => "<blockquote>x ".repeat(4_900)],
  ["2,400 lists in lists", () => "<ul><li>x".repeat(2_400)],
  ["4,900 links in links", () => "<a href=x>text".repeat(4_900)],
  ["4,900 headings in headings", () => "<h2>text more".repeat(4_900)],
  ["1,500 tables in tables", () => "<table><tr><td>".repeat(1_500)],
  ["a list of 100,000", () => `<ol>${"<li>abc def".repeat(100_000)}</ol>`],
  ["a row of 100,000 cells", () => `<table><tr>${"<td>abc".repeat(100_000)}</table>`],
  ["cells over a thousand columns each", () => `<table><tr>${"<td colspan=1000>abc".repeat(3_000)}</table>`],
  [
    "cells over a thousand rows and columns each",
    () => `<table>${`<tr>${`<td rowspan=1000 colspan=1000>${"abc ".repeat(50)}`.repeat(40)}`.repeat(400)}</table>`,
  ],
  [
    "code in cells of tables in tables",
    () => `<table><tr><th>a<th>b<tr><td>c<td><pre>${"x\n\n".repeat(10)}</pre>`.repeat(1_000),
  ],
  ["mathematics 5,000 deep", () => `<math>${"<msup><mi>x</mi><mrow>".repeat(2_400)}`],
  ["a formula of 100,000 signs", () => `<math>${"<mo>×</mo><mi>abc</mi>".repeat(50_000)}</math>`],
  [
    "TeX of five million spaces",
    () => `<p>a<script type=math/tex>{\\displaystyle ${" %\n".repeat(1_500_000)}</script>`,
  ],
  ["boxes named menu at all depths", () => `${"<div class=menu>".repeat(140)}<p>${PROSE}`.repeat(20)],
  [
    "comments in comments",
    () => `<p>${PROSE.repeat(9)}${"<div class='comment comments'><time>x</time>".repeat(4_000)}${PROSE}`,
  ],
  [
    "a manual of 40,000 links to its sections, in menus at all depths",
    () =>
      `<meta name=generator content=Sphinx>${`${"<div class=menu>".repeat(140)}<ul>${"<li><a href=#a>x</a>".repeat(2_000)}</ul>`.repeat(20)}<h1>b</h1><div>${`<p>${PROSE}</p><h2 id=a>x</h2>`.repeat(500)}`,
  ],
  [
    "25,000 notes of a manual",
    () =>
      `<meta name=generator content=DocBook><div>${"<div class=note><h3></h3><h3>Note</h3>a b</div>".repeat(25_000)}`,
  ],
  ["a table of 50,000 rows", () => `<table>${"<tr><td>a<td>b".repeat(50_000)}</table>`],
  ["60,000 pairs of line breaks", () => `<div>${"x<br><br>".repeat(60_000)}`],
  ["9,000 paragraphs of prose", () => `<p>${PROSE.repeat(5)}</p>`.repeat(9_000)],
  ["prose at all depths", () => `${"<div class=comment>".repeat(100)}<p>${PROSE}`.repeat(20)],
  ["5 MB of spaces", () => `<p>a${" ".repeat(5_000_000)}b</p><b>${"\n\t ".repeat(1_000_000)}x</b>`],
  ["marks to escape", () => `<p>${"_*[`".repeat(500_000)}`],
  ["backticks in code", () => `<pre>${"```\n".repeat(500_000)}</pre><code>${"` ".repeat(300_000)}</code>`],
  [
    "a heading of 200,000 words and a title like it",
    () => `<title>${"t ".repeat(250)}</title><h1>${"word ".repeat(200_000)}</h1><p>${PROSE.repeat(50)}`,
  ],
  [
    "long srcsets",
    () => `<p>x<img srcset='${"a ".repeat(1_000_000)}'>${`<img srcset='${"a, b ".repeat(700)}'>`.repeat(1_000)}`,
  ],
  [
    "a long base before 60,000 links",
    () => `<base href='/${"x".repeat(1_900)}/'>${"<a href=q>text of a link</a> and ".repeat(60_000)}`,
  ],
  [
    "JSON-LD 45,000 deep",
    () => `<script type=application/ld+json>${"[".repeat(45_000)}${"]".repeat(45_000)}</script><p>x`,
  ],
  ["4,000 classes of 100 names", () => `<div class='${"aB ".repeat(100)}'>`.repeat(4_000) + PROSE.repeat(20)],
  ["50,000 bars that turn pages", () => `<div>${'<p><a rel="next" href="b">Next</a></p>'.repeat(50_000)}</div>`],
  [
    "50,000 links that turn pages, behind 50,000 empty elements",
    () => `<div>${"<i></i>".repeat(50_000)}${'<a accesskey="n" href="b"></a>'.repeat(50_000)}</div>`,
  ],
];
