import { join } from "node:path";
import { expect, test } from "vitest";
import type { FormattedRecordView } from "../../src/api/views.ts";
import { generatedPage, pagePath, startGeneratedSite } from "../sites/generated-site.ts";
import { crawl, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** The links that a crawl keeps, on a site whose link graph is known. */

const SIZE = { pages: 40, links: 12, bytes: 3_000 };
const shared = shareServer();

/** Every `a` element of the site: source, target and anchor text. */
function writtenLinks(origin: string): string[] {
  return Array.from({ length: SIZE.pages }, (_, i) =>
    [...generatedPage(i, SIZE).matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].map(([, path, text]) =>
      [origin + pagePath(i), origin + path, text].join(" "),
    ),
  ).flat();
}

test.each(["warc", "files"])(
  "a crawl stored as %s gives every link with its anchor text, and no other",
  async (store) => {
    const site = await startGeneratedSite(SIZE);
    const flags = ["--delay", "0", "--store", store, ...shared.served.remote];
    const { summary } = await crawl(join(shared.dir.path, store), `${site.origin}/`, ...flags);
    await site.close();
    const { stdout } = await run("records", summary.id, "--with", "links", ...shared.served.remote);
    const records = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as FormattedRecordView);
    const found = records.flatMap(({ url, links = [] }) => links.map((link) => [url, link.url, link.text].join(" ")));
    const written = writtenLinks(site.origin);
    expect(written.length).toBeGreaterThan(SIZE.pages * 10);
    expect(found.toSorted()).toEqual(written.toSorted());
  },
);
