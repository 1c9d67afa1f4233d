import { expect, test } from "vitest";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";

const PROSE = "A manual says in a few sentences, with commas, what its reader needs to know about a subject. ".repeat(
  3,
);

function idsOf(html: string): (string | undefined)[] {
  const page = `<!doctype html><title>T</title><body><main>${html}</main>`;
  const source = { url: "https://example.com/a", contentType: "text/html; charset=utf-8" };
  const request = { agent: "", scriptLinks: false, requisites: false, obeyNoindex: false, formats: [] };
  const read = readHtml(new TextEncoder().encode(page), source, request);
  if (read instanceof Promise) throw new Error("the reader of HTML does not wait");
  return read.content?.metadata.headings.map(({ id }) => id) ?? [];
}

test.each<[name: string, html: string, id: string | undefined]>([
  ["its own", `<h2 id="own"><a id="other"></a>A</h2>`, "own"],
  ["that of an anchor within", `<h2><a id="_a"></a>A</h2>`, "_a"],
  ["that of an old anchor", `<h2><a name="a">A</a></h2>`, "a"],
  ["that of its link to itself", `<h2>A <a class="headerlink" href="#a%20b">¶</a></h2>`, "a b"],
  ["a broken escape", `<h2>A <a class="headerlink" href="#a%">¶</a></h2>`, "a%"],
  ["that of the section that it opens", `<section id="s"><div><h2>A</h2></div><p>${PROSE}</p></section>`, "s"],
  ["none of a section that it does not open", `<section id="s"><p>${PROSE}</p><h2>A</h2></section>`, undefined],
  ["no link to elsewhere", `<h2><a href="/b">A</a></h2>`, undefined],
  ["none that is too long", `<h2 id="${"x".repeat(201)}">A</h2>`, undefined],
])("a heading has %s", (_, html, id) => {
  expect(idsOf(`${html}<p>${PROSE}</p><h2 id="end">End</h2><p>${PROSE}</p>`)).toEqual([id, "end"]);
});
