import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markdownName } from "../../../../src/cli/output/out.ts";
import { kindOf } from "../../../../src/media/kind/kinds.ts";
import { folderPath, relativeUrl } from "../../../../src/reading/folder/folder-path.ts";
import { canonicalize } from "../../../../src/url/canonicalize.ts";
import { messyUrl } from "../../url/messy-url.ts";

describe("the path of a file (# is the hash)", () => {
  test.each<[string, string | null, string]>([
    ["/", "text/html", "index.html"],
    ["/", null, "index.html"],
    ["/a.html", "text/html; charset=utf-8", "a.html"],
    ["/a.htm", "text/html", "a.htm"],
    ["/docs/intro", "text/html", "docs/intro~.html"],
    ["/list?page=2", "text/html", "list~page=2.html"],
    ["/page.php", "text/html", "page.php~.html"],
    ["/page.php?id=1", "text/html", "page.php~id=1.html"],
    ["/v1.2", "text/html", "v1.2~.html"],
    ["/Docs/A.html", "text/html", "Docs/A.html#.html"],
    ["/a.xhtml", "application/xhtml+xml", "a.xhtml"],
    ["/a", "application/xhtml+xml", "a~~.xhtml"],

    ["/style.css", "text/css", "style.css"],
    ["/style.css?v=1", "text/css; charset=utf-8", "style~v=1.css"],
    ["/style?v=1", "text/css", "style~v=1~.css"],
    ["/css/Style.css", "text/css", "css/Style#.css"],
    ["/css/style.php", "text/css", "css/style.php~.css"],
    ["/a@2x.png", "image/png", "a@2x~.png"],
    ["/Logo.PNG", "image/png", "Logo#.png"],
    ["/photo.jpeg", "image/jpeg", "photo.jpeg"],
    ["/photo", "image/jpeg", "photo~~.jpg"],
    ["/font.woff2?x#iefix", "font/woff2", "font~x.woff2"],
    ["/app.mjs?1", "text/javascript", "app~1.mjs"],

    ["/README", "text/plain", "README#~.txt"],
    ["/notes.md", "text/markdown", "notes.md"],
    ["/notes", "text/markdown", "notes~~.txt"],
    ["/page.html", "text/plain", "page.html~.txt"],
    ["/data.tsv", "text/tab-separated-values", "data.tsv"],
    ["/data.tsv?all", "text/tab-separated-values", "data~all.tsv"],
    ["/data.html", "application/octet-stream", "data.html~.bin"],
    ["/data", "application/octet-stream", "data~~.bin"],
  ])("%s as %s in %s", (target, type, path) => {
    const url = canonicalize(`https://example.com${target}`) ?? "";
    expect(folderPath(url, type).replace(/~~[0-9a-z]{14}/g, "#")).toBe(`example.com/${path}`);
  });
});

const TYPES = [
  null,
  "text/html",
  "application/xhtml+xml",
  "text/plain",
  "text/markdown",
  "text/css",
  "image/png",
  "x/y",
];
const typed = fc.tuple(messyUrl, fc.constantFrom(...TYPES));

/** Expects that these URLs, and the Markdown of each page, have different files on a disk that ignores case. */
function expectApart(urls: Iterable<string>, types: (string | null)[]): void {
  const files = new Map<string, string>();
  const directories = new Map<string, string>();
  for (const url of urls)
    for (const type of types) {
      const path = folderPath(url, type).toLowerCase();
      const isPage = kindOf(type ?? "text/html").isPage;
      for (const file of isPage ? [path, markdownName(path)] : [path]) {
        const other = files.get(file);
        if (other !== undefined && other !== url) expect.fail(`${url} and ${other} are both ${file}`);
        files.set(file, url);
      }
      for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
        directories.set(path.slice(0, at), url);
    }
  for (const [file, url] of files) {
    const other = directories.get(file);
    if (other !== undefined) expect.fail(`${file} is the file of ${url} and a directory of ${other}`);
  }
}

describe("no two URLs share a path, whatever their types", () => {
  test("all short URLs made of the parts that matter", () => {
    const pieces = ["a", "A", ".css", ".html", ".md", "?", "/", "+", "index"];
    let tails = [""];
    const urls = new Set<string>();
    for (let length = 1; length <= 4; length++) {
      tails = tails.flatMap((tail) => pieces.map((piece) => tail + piece));
      for (const tail of tails) urls.add(canonicalize(`https://e.com/${tail}`) ?? "https://e.com/");
    }
    expect(urls.size).toBeGreaterThan(5_000);
    expectApart(urls, TYPES);
  });

  test("arbitrary URLs, and similar ones", () => {
    const ends = ["", "/", "?a", "~", ".css", ".md", ".html", ".html.md", "?a.html", ".PNG"];
    fc.assert(
      fc.property(fc.array(messyUrl, { minLength: 1, maxLength: 4 }), fc.constantFrom(...TYPES), (hrefs, type) => {
        const alike = hrefs.flatMap((href) => ends.map((end) => canonicalize(href + end)));
        expectApart(new Set(alike.filter((url) => url !== null)), [type, "text/html"]);
      }),
      { numRuns: 1_000 },
    );
  });
});

test("a relative URL leads from any file to any other", () => {
  fc.assert(
    fc.property(typed, typed, ([from, fromType], [to, toType]) => {
      const [fromUrl, toUrl] = [canonicalize(from), canonicalize(to)];
      if (fromUrl === null || toUrl === null) return;
      const [source, target] = [folderPath(fromUrl, fromType), folderPath(toUrl, toType)];
      const fileUrl = (path: string) => `file:///site/${path.split("/").map(encodeURIComponent).join("/")}`;
      const url = relativeUrl(source, target);
      expect(decodeURIComponent(new URL(url, fileUrl(source)).pathname)).toBe(`/site/${target}`);
      // `srcset` splits at these, and a refresh takes off quotes.
      expect(url).not.toMatch(/[\s,'"?#]/);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ["a.test/index.html", "a.test/b/c.html", "b/c.html"],
  ["a.test/b/c.html", "a.test/index.html", "../index.html"],
  ["a.test/b/c.html", "b.test/b/c.html", "../../b.test/b/c.html"],
  ["a.test/b/c.html", "a.test/b/c.html", "c.html"],
  ["a.test/b.html", "a.test/%E4%BD%A0.html", "%25E4%25BD%25A0.html"],
])("from %s to %s: %s", (from, to, url) => {
  expect(relativeUrl(from, to)).toBe(url);
});
