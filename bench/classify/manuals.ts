/**
 * Manuals of Debian's packages as sites: their pages, each with the part of the manual that it belongs to, read by the
 * crawler's own reader.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DocumentRequest } from "../../src/media/document.ts";
import { readHtml } from "../../src/media/html/tree/read-html.ts";
import { canonicalize } from "../../src/url/canonicalize.ts";

export interface Manual {
  name: string;
  /** Debian's package. */
  of: string;
  root: string;
  /** The part of a page by its path; null for pages that belong to none. */
  partOf(path: string): string | null;
}

export interface ManualPage {
  url: string;
  part: string | null;
  title: string | null;
  text: string;
  links: { url: string; text: string }[];
}

/** The first folder of the path, if it is one of these. */
const folders =
  (...names: string[]) =>
  (path: string) =>
    names.find((name) => path.startsWith(`${name}/`)) ?? null;

const ALL: Manual[] = [
  {
    name: "Git",
    of: "git-doc",
    root: "/usr/share/doc/git/html",
    partOf: (path) =>
      folders("howto", "technical")(path) ?? (/^git-/.test(path) ? "command" : /^git/.test(path) ? "guide" : null),
  },
  {
    name: "Python",
    of: "python3.11-doc",
    root: "/usr/share/doc/python3.11/html",
    partOf: folders("c-api", "distutils", "howto", "library", "tutorial", "whatsnew"),
  },
  {
    name: "Django",
    of: "python-django-doc",
    root: "/usr/share/doc/python-django-doc/html",
    partOf: folders("howto", "intro", "internals", "ref", "releases", "topics"),
  },
  {
    name: "PostgreSQL",
    of: "postgresql-doc-15",
    root: "/usr/share/doc/postgresql-doc-15/html",
    partOf: (path) =>
      /^(app|catalog|contrib|ddl|ecpg|functions|infoschema|libpq|release|runtime|spi|sql|tutorial|view)-/.exec(
        path,
      )?.[1] ?? null,
  },
  {
    name: "LilyPond",
    of: "lilypond-doc-html",
    root: "/usr/share/doc/lilypond/html/Documentation",
    partOf: folders("contributor", "extending", "internals", "learning", "music-glossary", "notation", "usage", "web"),
  },
  {
    name: "Debian handbook",
    of: "debian-handbook",
    root: "/usr/share/doc/debian-handbook/html/en-US",
    partOf: () => null,
  },
  {
    name: "ExifTool",
    of: "libimage-exiftool-perl",
    root: "/usr/share/doc/libimage-exiftool-perl/html",
    partOf: () => null,
  },
];

/** The manuals that are installed; what is missing is named. */
export function findManuals(names: readonly string[]): Manual[] {
  return names.flatMap((name) => {
    const manual = ALL.find((each) => each.name === name);
    if (manual === undefined)
      throw new Error(`There is no manual ${name}: ${ALL.map((each) => each.name).join(", ")}.`);
    if (existsSync(manual.root)) return [manual];
    console.error(`${name} is left out: there is no ${manual.root}. Install Debian's ${manual.of}.`);
    return [];
  });
}

/** All pages of a manual as a site below `https://NAME.test/`. */
export function readManual({ name, root, partOf }: Manual): ManualPage[] {
  const site = `https://${name.toLowerCase().replaceAll(" ", "-")}.test/`;
  const urlOf = (path: string) => canonicalize(site + path) ?? site;
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.html?$/.test(path))
    .filter((path) => !/(^|\/)(genindex|search|modindex|py-modindex)[^/]*\.html$|^_/.test(path))
    .sort();
  const known = new Set(paths.map(urlOf));
  return paths.map((path) => {
    const url = urlOf(path);
    const source = { url, contentType: "text/html" };
    const { title, content, pageLinks } = readHtml(readFileSync(join(root, path)), source, REQUEST);
    const links = pageLinks.filter((link) => link.url !== url && known.has(link.url));
    return {
      url,
      part: partOf(path),
      title,
      text: content?.text ?? "",
      links: links.map((link) => ({ url: link.url, text: link.text })),
    };
  });
}

const REQUEST: DocumentRequest = {
  agent: "bench",
  scriptLinks: false,
  requisites: false,
  formats: ["text"],
  obeyNoindex: false,
};

/** The same pages under numbers: the names of their files and folders say nothing. */
export function hideUrls(pages: readonly ManualPage[]): ManualPage[] {
  const numbers = new Map(pages.map(({ url }, i) => [url, new URL(`/${i}`, url).href]));
  const hide = <T extends { url: string }>(each: T): T => ({ ...each, url: numbers.get(each.url) ?? each.url });
  return pages.map((page) => ({ ...hide(page), links: page.links.map(hide) }));
}
