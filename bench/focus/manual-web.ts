/**
 * A web of the manuals as they are: a host for each, their own pages, links and anchor texts. A portal lists them by
 * their names alone, and every page links to it: else no manual would lead to another.
 */
import { join } from "node:path";
import { filesOf, type Manual } from "./manuals.ts";
import { readHtml } from "./read-html.ts";
import type { WebPage } from "./web.ts";

const MAX_FILES = 700;
/** Links of a page that are followed. */
const MAX_LINKS = 150;
/** Names of the page that a manual begins with, best first. */
const FIRST = [
  /^index\.(?:\w+\.)?html?/,
  /(?:^|\/)index\.(?:\w+\.)?html?/,
  /(?:^|\/)(?:toc|contents|main)\.html?/i,
  /./,
];

export function makeManualWeb(manuals: readonly (Manual & { path: string })[]): WebPage[] {
  const web: WebPage[] = [
    {
      url: "https://portal.example/",
      host: "portal.example",
      title: "Manuals",
      text: "Manuals",
      links: [],
      manual: "home",
      path: "",
    },
  ];
  for (const manual of manuals) {
    const files = filesOf(manual);
    const begin = FIRST.map((name) => files.find((file) => name.test(file))).find((file) => file !== undefined) ?? "";
    const step = Math.ceil(files.length / MAX_FILES);
    const kept = files.filter((file, i) => i % step === 0 || file === begin);
    const places = new Map(kept.map((file, i) => [file, web.length + i]));
    web[0]?.links.push({ target: places.get(begin) ?? 0, text: `Manual ${web[0].links.length + 1}`, around: "" });
    // Its name would tell too much.
    const host = `host${web[0]?.links.length}.example`;
    for (const path of kept) {
      const file = readHtml(manual.path, path);
      const links = file.links.flatMap(({ path: linked, text, around }) => {
        const target = places.get(linked) ?? places.get(join(linked));
        return target === undefined ? [] : [{ target, text, around }];
      });
      web.push({
        url: `https://${host}/${path}`,
        host,
        title: file.title.slice(0, 120),
        text: file.sections
          .map((section) => `${section.heading}\n${section.text}`)
          .join("\n")
          .slice(0, 40_000),
        links: [{ target: 0, text: "Manuals", around: "" }, ...links.slice(0, MAX_LINKS)],
        manual: manual.name,
        path,
      });
    }
  }
  return web;
}
