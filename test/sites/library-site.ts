import { type Answer, HTML, type Pages, page } from "./handmade-site.ts";

/** A site for the console's pages: folders, a long list, unusual titles and one URL of each failure. */

const TEXT: Answer = { headers: { "content-type": "text/plain; charset=utf-8" }, body: "Nothing but words." };

export function libraryPages(books: number): Pages {
  const shelves = Array.from({ length: books }, (_, i) => `/books/shelf-${i % 7}/book-${i}`);
  return {
    "/robots.txt": {
      headers: { "content-type": "text/plain" },
      body: "User-agent: *\nDisallow: /private/\nAllow: /private/open\nCrawl-delay: 0\nContent-Signal: search=yes, ai-train=no\n\nUser-agent: other\nDisallow: /\n",
    },
    "/": page(
      "The library",
      "/about",
      "/books/",
      "/private/diary",
      "/gone",
      "/broken",
      "/moved",
      "/notes.txt",
      "/wide",
    ),
    "/about": article("About the library", "It was <strong>founded</strong> in 1897 by two spiders.", "/", "/books/"),
    "/books/": page("All the books", ...shelves),
    ...Object.fromEntries(shelves.map((path, i) => [path, article(`Book ${i}`, `The text of book ${i}.`, "/books/")])),
    "/broken": { status: 500, headers: HTML, body: "broken" },
    "/moved": { status: 301, headers: { location: "/about" } },
    "/notes.txt": TEXT,
    "/wide": article(`A title that goes on ${"and on ".repeat(30)}`, `${"x".repeat(400)}`, "/"),
  };
}

const DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/**
 * A page with main content and a script that reveals whether it ran. No two have a sentence in common: that would be
 * template, and leave the search index at a heartbeat.
 */
function article(title: string, text: string, ...links: string[]): string {
  const name = title.replace(/\d/g, (digit) => `${DIGITS[Number(digit)]} `);
  const list = links.map((link) => `<a href="${link}">${link}</a>`).join(" ");
  return `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="${title}, in short">
<style>h1 { color: rebeccapurple }</style></head><body><nav>${list}</nav><main><article><h1>${title}</h1><p>${text}</p>
<p>There is more to say about ${name}, but nobody has found the time, so this sentence stands here for all of it.</p></article></main>
<script>document.title = "it ran"; parent.postMessage("it ran", "*")</script></body></html>`;
}
