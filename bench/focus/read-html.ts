/** Reads a manual's page: its sections with their texts, and its links with their words. */
import { readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { Parser } from "htmlparser2";

export interface Section {
  heading: string;
  text: string;
}

export interface FileLink {
  /** The file, relative to the manual's folder. */
  path: string;
  text: string;
  around: string;
}

export interface ManualFile {
  title: string;
  sections: Section[];
  links: FileLink[];
}

const HIDDEN = new Set(["script", "style", "noscript", "template", "svg", "button", "select"]);
const SURROUNDING = new Set(["nav", "header", "footer"]);
const SURROUNDING_NAME =
  /^(?:nav|nav(?:header|footer|igation|bar|-panel|panel)|header|footer|related|sphinxsidebar|breadcrumbs?|wy-nav-side|rst-versions|toc|TopLeftHeader|SearchFrame|toplang|bottomlang|up|seealso-links)$/;
const BLOCK = /^(?:p|div|li|dt|dd|td|th|tr|pre|h[1-6]|table|ul|ol|dl|section|article|blockquote|br|hr)$/;
const HEADING = /^h[1-6]$/;
const VOID = new Set(["br", "hr", "img", "input", "link", "meta", "col", "area", "base"]);
const AROUND = 100;

/** `root`: the manual's folder. Links that leave it are left out. */
export function readHtml(root: string, path: string): ManualFile {
  const bytes = readFileSync(join(root, path));
  const html = new TextDecoder(
    /charset=["']?iso-8859-1/i.test(bytes.toString("latin1", 0, 1_000)) ? "latin1" : "utf-8",
  );
  const sections: Section[] = [];
  const links: (FileLink & { at: number })[] = [];
  let [title, heading, text, all] = ["", "", "", ""];
  let base = dirname(path);
  /** Open elements: whether each hides its text, or surrounds the content. */
  const open: { name: string; isHidden: boolean }[] = [];
  let hidden = 0;
  let [inTitle, inHeading] = [false, false];
  let anchor: (FileLink & { at: number }) | null = null;
  const endSection = () => {
    if (text.trim() !== "")
      sections.push({ heading: tidy(heading), text: text.split("\n").map(tidy).filter(Boolean).join("\n") });
    text = "";
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === "base" && attributes.href !== undefined) base = normalize(join(dirname(path), attributes.href));
        if (VOID.has(name)) {
          if (BLOCK.test(name)) text += "\n";
          return;
        }
        const named = `${attributes.class ?? ""} ${attributes.id ?? ""}`;
        const isHidden =
          HIDDEN.has(name) ||
          SURROUNDING.has(name) ||
          (name !== "body" && named.split(/\s+/).some((word) => SURROUNDING_NAME.test(word)));
        open.push({ name, isHidden });
        if (isHidden) hidden += 1;
        if (name === "title") inTitle = true;
        if (hidden === 0 && HEADING.test(name)) {
          endSection();
          heading = "";
          inHeading = true;
        }
        if (BLOCK.test(name)) text += "\n";
        if (name === "a" && attributes.href !== undefined) {
          const target = resolve(base, attributes.href);
          anchor = target === null ? null : { path: target, text: "", around: "", at: all.length };
        }
      },
      ontext(data) {
        if (inTitle) title += data;
        if (anchor !== null) anchor.text += data;
        if (open.some(({ name }) => name === "head")) return;
        if (hidden > 0) return;
        if (inHeading) heading += data;
        text += data;
        all += data;
      },
      onclosetag(name) {
        if (VOID.has(name)) return;
        const closed = open.pop();
        if (closed?.isHidden) hidden -= 1;
        if (name === "title") inTitle = false;
        if (HEADING.test(name)) inHeading = false;
        if (BLOCK.test(name)) text += "\n";
        if (name === "a" && anchor !== null) {
          links.push(anchor);
          anchor = null;
        }
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(html.decode(bytes));
  endSection();
  return {
    title: tidy(title),
    sections,
    links: links.map(({ at, ...link }) => ({
      path: link.path,
      text: tidy(link.text).slice(0, 80),
      around: tidy(all.slice(Math.max(0, at - AROUND), at + link.text.length + AROUND)),
    })),
  };
}

function tidy(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function resolve(base: string, href: string): string | null {
  if (/^[a-z]+:|^\/|^#|^$/i.test(href)) return null;
  const path = (href.split(/[#?]/)[0] ?? "").replace(/^\.\//, "");
  const target = relative(".", normalize(join(base, path)));
  return target.startsWith("..") || !/\.html?(?:\.\w+)?$/.test(target) ? null : target;
}
