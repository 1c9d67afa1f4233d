import { expect, test } from "vitest";
import type { ContentSelection, Document } from "../../../../src/media/document.ts";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";

/** Content that a request chooses by selectors. */

const PAGE = `<!doctype html><html lang="en"><head><title>Mill</title><style>p{}</style></head><body>
  <nav class="menu"><a href="/a">Menu entry</a></nav><header><img src="/logo.png?a=1&amp;b=2" alt="Logo"></header>
  <main><article><h1>The mill</h1><p class="lead">The heron waits at the <b>weir</b>, one by one.</p>
  <div id="box"><p>Outer <span class="lead">inner</span></p></div></article></main>
  <footer>Imprint</footer><script>alert("x")</script></body></html>`;
const NOTHING: ContentSelection = { isWhole: false, include: [], exclude: [] };

function markdownOf(selection: Partial<ContentSelection>): string {
  const request = {
    agent: "",
    scriptLinks: false,
    requisites: false,
    formats: ["markdown", "html"],
    obeyNoindex: false,
  } as const;
  const source = { url: "https://mill.test/x/", contentType: "text/html" };
  const read = readHtml(new TextEncoder().encode(PAGE), source, {
    ...request,
    selection: { ...NOTHING, ...selection },
  });
  return (read as Document).content?.markdown ?? "";
}

test.each<[Partial<ContentSelection>, string[], string[]]>([
  [{}, ["heron", "Outer"], ["Menu entry", "Imprint", "alert"]],
  [{ isWhole: true }, ["heron", "Menu entry", "https://mill.test/a", "Imprint", "logo.png"], ["alert", "p{}"]],
  [{ isWhole: true, exclude: [".menu", "footer"] }, ["heron", "logo.png"], ["Menu entry", "Imprint"]],
  [{ exclude: ["b", "#box"] }, ["heron"], ["weir", "Outer"]],
  [{ include: [".lead"] }, ["heron", "inner"], ["Outer", "The mill", "Menu"]],
  [{ include: ["nav", "#box"], exclude: [".lead"] }, ["Menu entry", "Outer"], ["inner", "heron"]],
  [{ include: [".nowhere"] }, [], ["heron", "Menu"]],
])("%j", (selection, has, lacks) => {
  const markdown = markdownOf(selection);
  expect([markdown, has.filter((words) => !markdown.includes(words))]).toEqual([markdown, []]);
  expect([markdown, lacks.filter((words) => markdown.includes(words))]).toEqual([markdown, []]);
});

test("an element within an included one comes once", () => {
  expect(markdownOf({ include: ["#box", "#box p", "span"] }).match(/inner/g)).toHaveLength(1);
});
