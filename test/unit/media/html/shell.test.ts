import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readHtml } from "../../../../src/media/html/tree/read-html.ts";
import { SHELLS, WHOLE_PAGES } from "./shell-pages.ts";

const CONTENT = new URL("../../../content/", import.meta.url);

function judge(html: string | Uint8Array<ArrayBuffer>) {
  const request = { agent: "orbweaver", scriptLinks: false, requisites: false, formats: null, obeyNoindex: false };
  const bytes = typeof html === "string" ? new TextEncoder().encode(html) : html;
  const source = { url: "https://site.example/a", contentType: "text/html; charset=utf-8" };
  const { shell, shellDoubt } = readHtml(bytes, source, request);
  return { shell, shellDoubt };
}

describe("shells", () => {
  test.each(Object.entries(SHELLS))("%s", (_, html) => {
    expect(judge(html)).toEqual({ shell: expect.any(String), shellDoubt: null });
  });
});

describe("whole pages", () => {
  test.each(Object.entries(WHOLE_PAGES))("%s", (_, html) => {
    expect(judge(html).shell).toBeNull();
  });

  const files = readdirSync(CONTENT).filter((name) => name.endsWith(".html") && name !== "empty-scripts.html");
  test.each(files)("%s", (name) => {
    expect(judge(readFileSync(new URL(name, CONTENT)))).toEqual({ shell: null, shellDoubt: null });
  });
});

test("The sentence says what the page shows", () => {
  expect(judge('<body><div id="root"></div><script src=a.js></script>').shell).toBe(
    'its <div id="root"> is empty, and scripts fill it',
  );
  expect(judge("<body><noscript> Turn on\n JavaScript! </noscript><script src=a.js></script>").shell).toBe(
    "it asks for scripts: “Turn on JavaScript!”",
  );
  expect(judge("<body><p>Loading</p><script src=a.js></script><script src=b.js></script>").shell).toBe(
    "it has 7 characters of text beside 2 scripts",
  );
});

const around = (characters: number) => `<p>${"a".repeat(characters)}</p>`;
const ROOT = '<div id="root"></div><script src="a.js"></script>';

/** Where the line is. */
test.each([
  ["an empty root", around(300) + ROOT, "shell"],
  ["an empty root", around(301) + ROOT, "doubt"],
  ["an empty root", around(2_000) + ROOT, "doubt"],
  ["an empty root", around(2_001) + ROOT, "whole"],
  ["an empty root in a menu", `<a href="/b">${"a".repeat(900)}</a>${ROOT}`, "shell"],
  ["text in the root", `<div id="root">${around(60)}</div><script src="a.js"></script>${around(200)}`, "shell"],
  ["text in the root", `<div id="root">${around(61)}</div><script src="a.js"></script>${around(200)}`, "doubt"],
  ["a link in the root", `<div id="root"><a href="/b">b</a></div><script src="a.js"></script>${around(200)}`, "doubt"],
  ["no root", `${around(120)}<script src="a.js"></script>`, "shell"],
  ["no root", `${around(121)}<script src="a.js"></script>`, "doubt"],
  ["no root", `${around(400)}<script src="a.js"></script>`, "doubt"],
  ["no root", `${around(401)}<script src="a.js"></script>`, "whole"],
  ["a picture", `${around(10)}<img src=a><script src="a.js"></script>`, "doubt"],
  ["an own script in the page", `${around(10)}<script>${"a();".repeat(40)}</script>`, "doubt"],
  ["an own script in the page", `<script>${"a();".repeat(40)}</script>`, "shell"],
  ["a script that sets a class", "<script>document.documentElement.className = 'js'</script>", "whole"],
  ["a script for data", `<script type="application/ld+json">${" ".repeat(200)}{}</script>`, "whole"],
  ["a password", `<input type=password>${ROOT}`, "whole"],
  ["a refresh", `<meta http-equiv=refresh content="0;url=/b">${ROOT}`, "whole"],
])("%s: %.60s…: %s", (_, html, expected) => {
  const { shell, shellDoubt } = judge(`<body>${html}</body>`);
  expect(shell !== null ? "shell" : shellDoubt !== null ? "doubt" : "whole").toBe(expected);
});
