import { parseArgs } from "node:util";
import { readHtml } from "../src/media/html/tree/read-html.ts";
import { halfOf, readWcxb } from "./page-sets.ts";

/**
 * How many pages are told to be of the kind that people say, and how many of those that are told so are:
 *
 *     npm run bench:kinds -- --set FOLDER
 *
 * FOLDER is a copy of WCXB (page-sets.ts), which you fetch.
 */

const { values } = parseArgs({ options: { set: { type: "string" } } });
if (values.set === undefined) throw new Error("npm run bench:kinds -- --set FOLDER");

const wanted = { agent: "bench", scriptLinks: false, requisites: false, obeyNoindex: false, formats: [] } as const;
const pages = readWcxb(values.set).map(({ name, url, type, html }) => {
  const { content } = readHtml(html, { url, contentType: "text/html", headers: [] }, wanted);
  return { half: halfOf(name), type, told: content?.metadata.kind ?? "other" };
});

console.log("| kind | half | pages | precision | recall | told as others |\n| --- | --- | --- | --- | --- | --- |");
for (const type of [...new Set(pages.map((page) => page.type))].sort())
  for (const half of ["even", "odd"]) {
    const own = pages.filter((page) => page.half === half && page.type === type);
    const told = pages.filter((page) => page.half === half && page.told === type);
    const right = own.filter((page) => page.told === type).length;
    const others = [...Map.groupBy(own, (page) => page.told)]
      .filter(([kind]) => kind !== type)
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([kind, { length }]) => `${kind} ${length}`);
    const shares = [right / told.length, right / own.length].map((share) => share.toFixed(2));
    console.log(`| ${[type, half, own.length, ...shares, others.join(", ")].join(" | ")} |`);
  }
