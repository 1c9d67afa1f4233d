/**
 * Makes a site of text books, for subjects that are not about software: `bench:focus-sites` crawls it. Each book is a
 * clone of one of OpenStax's repositories (https://github.com/openstax), whose CNXML stays out of this project.
 *
 *     node bench/focus/make-textbooks.ts OUT CLONE...
 *
 * OUT/index.html lists the books, a book its chapters, and a chapter its sections; sections link to the one before and
 * after, to their chapter, and to what they refer to.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const [out, ...clones] = process.argv.slice(2);
if (out === undefined || clones.length === 0) throw new Error("Name a folder to write, and clones.");
mkdirSync(out, { recursive: true });

interface Section {
  id: string;
  title: string;
  text: string;
  file: string;
}

const books = clones.map((clone) => {
  const git = (...args: string[]) => execFileSync("git", ["-C", clone, ...args], { maxBuffer: 1e9, encoding: "utf8" });
  const names = git("ls-tree", "-r", "--name-only", "HEAD").split("\n");
  const [collection = ""] = names.filter((name) => name.endsWith(".collection.xml"));
  const book = slugOf(basename(collection, ".collection.xml"));
  const toc = git("show", `HEAD:${collection}`);
  const title = plain(/<md:title>([^<]*)/.exec(toc)?.[1] ?? book);
  let chapter = { title: "Front matter", sections: [] as Section[] };
  const chapters = [chapter];
  for (const [, heading, id] of toc.matchAll(
    /<col:subcollection>\s*<md:title>([^<]*)|<col:module document="(m\d+)"/g,
  )) {
    if (heading !== undefined) {
      chapter = { title: plain(heading), sections: [] };
      chapters.push(chapter);
    } else if (id !== undefined) {
      const text = git("show", `HEAD:modules/${id}/index.cnxml`);
      const name = plain(/<title>([\s\S]*?)<\/title>/.exec(text)?.[1] ?? id);
      const file = `${book}-${chapters.length - 1}-${chapter.sections.length}-${slugOf(name)}.html`;
      chapter.sections.push({ id, title: name, text, file });
    }
  }
  const all = chapters.flatMap(({ sections }) => sections);
  const files = new Map(all.map(({ id, file }) => [id, file]));
  const chapterFile = (at: number) => `${book}-chapter-${at}.html`;
  for (const [at, { title: name, sections }] of chapters.entries()) {
    write(
      chapterFile(at),
      `${name} - ${title}`,
      `<h1>${name}</h1>${list(sections.map((each) => [each.file, each.title]))}`,
    );
    for (const section of sections) {
      const place = all.indexOf(section);
      const around: [string, string][] = [
        ["index.html", "Books"],
        [`${book}.html`, title],
        [chapterFile(at), name],
      ];
      const [before, after] = [all[place - 1], all[place + 1]];
      if (before !== undefined) around.push([before.file, "Previous"]);
      if (after !== undefined) around.push([after.file, "Next"]);
      write(section.file, `${section.title} - ${title}`, `<nav>${list(around)}</nav>${toHtml(section, files)}`);
    }
  }
  const contents = chapters.map(({ title: name }, at): [string, string] => [chapterFile(at), name]);
  write(`${book}.html`, title, `<h1>${title}</h1>${list(contents)}`);
  console.log(`${book}: ${chapters.length} chapters, ${all.length} sections`);
  return [`${book}.html`, title] as [string, string];
});
write("index.html", "Books", `<h1>Books</h1>${list(books)}`);

function write(file: string, title: string, body: string): void {
  const head = `<meta charset="utf-8"><title>${title}</title>`;
  writeFileSync(
    join(out as string, file),
    `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`,
  );
}

function list(items: readonly [file: string, title: string][]): string {
  return `<ul>${items.map(([file, title]) => `<li><a href="${file}">${title}</a></li>`).join("")}</ul>`;
}

/** The paragraphs, headings and references of a section. */
function toHtml({ title, text }: Section, files: ReadonlyMap<string, string>): string {
  const content = text.slice(Math.max(0, text.indexOf("<content")));
  const blocks = [...content.matchAll(/<(para|title|item|caption|meaning)\b[^>]*>([\s\S]*?)<\/\1>/g)];
  const html = blocks.map(([, name, inner = ""]) => {
    const words = inner
      .replace(/<link\b[^>]*document="(m\d+)"[^>]*>([\s\S]*?)<\/link>/g, (_, id: string, said: string) =>
        files.has(id) ? `[[${files.get(id)}|${said}]]` : said,
      )
      .replace(/<[^>]*>/g, " ")
      .replace(/\[\[([^|\]]+)\|([^\]]*)\]\]/g, '<a href="$1">$2</a>');
    return name === "title" ? `<h2>${words}</h2>` : `<p>${words}</p>`;
  });
  return `<main><h1>${title}</h1>${html.join("\n")}</main>`;
}

function plain(text: string): string {
  return text
    .replace(/<[^>]*>/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/&[^;]*;|[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 50);
}
