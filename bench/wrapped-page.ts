/** Wraps a text as a page of a site: with what sites put around a text, and what differs at each visit. */

export interface Visit {
  path: string;
  /** Milliseconds. */
  time: number;
  /** Counts all visits. */
  number: number;
  /** Titles of the site's other pages. */
  titles: readonly string[];
}

const DAY_MS = 86_400_000;

/**
 * `plain` elements have no telling names, so that a reader cannot recognise the surroundings by them, and the theme
 * changes every two years, the menu every half year.
 */
export function wrapAsPage(text: string, visit: Visit, isPlain: boolean): string {
  const { path, time, number, titles } = visit;
  const date = new Date(time);
  const halfYear = Math.floor(time / (182 * DAY_MS));
  const theme = Math.floor(halfYear / 4);
  const title = titleOf(text, path);
  const element = (name: string, id: string, inner: string) =>
    isPlain
      ? `<div class="c${theme}-${id.length}">${inner}</div>`
      : `<${name} class="${id}-${theme}">${inner}</${name}>`;
  const menu = ["Home", "Contents", "News", "About", `Edition ${halfYear}`, ...(halfYear % 2 ? ["Events"] : [])];
  const related = Array.from({ length: 4 }, (_, at) => titles[(number * 7919 + at * 104_729) % titles.length] ?? "");
  const links = (names: readonly string[]) =>
    `<ul>${names.map((name) => `<li><a href="/${encodeURIComponent(name)}">${escapeText(name)}</a></li>`).join("")}</ul>`;
  return `<!doctype html><html lang="en"><head><title>${escapeText(title)} | The site</title>
    <link rel="stylesheet" href="/theme.${theme}.css?${number}"></head><body>
    ${element("header", "top", `<p>The site of many texts</p>${links(menu)}`)}
    ${element(
      "main",
      "content",
      `${toHtml(text)}
      ${element("p", "stamp", `Last updated ${date.toUTCString()}. Version 2.${halfYear}.${Math.floor(number / 100)}`)}
      ${element("p", "views", `This page was read ${1_000 + number * 3} times.`)}`,
    )}
    ${element("aside", "related", `<h3>Related texts</h3>${links(related)}`)}
    ${element("form", "comment", `<input type="hidden" name="csrf" value="${number.toString(16)}f00"><label>Mail me</label>`)}
    ${element(
      "footer",
      "imprint",
      `<p>© 1999–${date.getUTCFullYear()} The authors. Generated in 0.${number % 997} s
      at ${date.toISOString().slice(11, 19)}.</p>`,
    )}</body></html>`;
}

/** The first heading, or the name of the file. */
export function titleOf(text: string, path: string): string {
  const heading = /^Title: *(.+)$|^#+ +(.+)$|^=+ (.+)$|^(.+)\n[=#*~-]{3,}$/m.exec(text);
  return (heading?.slice(1).find((found) => found !== undefined) ?? path.split("/").at(-1) ?? path).trim();
}

/** Paragraphs, headings, lists and preformatted lines: enough of reStructuredText, AsciiDoc and Markdown for a page. */
export function toHtml(text: string): string {
  return text
    .split(/\n[ \t]*\n/)
    .map((part) => {
      const lines = part.split("\n").filter((line) => line.trim() !== "");
      const [first = "", second = ""] = lines;
      if (lines.length === 0) return "";
      if (/^([=#*~^"'+-])\1{2,}$/.test(second.trim())) return heading(first) + toHtml(lines.slice(2).join("\n"));
      if (/^(?:#+|=+) /.test(first)) return heading(first) + toHtml(lines.slice(1).join("\n"));
      if (lines.every((line) => /^(?: {2,}|\t)/.test(line))) return `<pre>${escapeText(part)}</pre>`;
      if (/^[-*] /.test(first))
        return `<ul>${part
          .split(/^[-*] /m)
          .filter((item) => item.trim() !== "")
          .map((item) => `<li>${escapeText(item)}</li>`)
          .join("")}</ul>`;
      return `<p>${escapeText(part)}</p>`;
    })
    .join("\n");
}

function heading(line: string): string {
  return `<h2>${escapeText(line.trim())}</h2>`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
