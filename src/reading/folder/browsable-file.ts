import { logError } from "../../core/log.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { StoredPage } from "../../crawl/page/outcome.ts";
import { decodeHtml } from "../../media/characters/charset.ts";
import { decodeCss } from "../../media/css/css-charset.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import { type PageStores, readStoredPage } from "../../store/mirror/read-mirror.ts";
import type { Records } from "../../store/records/records.ts";
import { type LinkContext, plainContext } from "../replay/replay-links.ts";
import { contextOf, rewriteLinks } from "../replay/rewrite-html.ts";
import { rewriteCss } from "../replay/rewrite-text.ts";
import { findFiles } from "./find-files.ts";
import { CollectedLinks, FolderLinks } from "./folder-links.ts";
import { folderPath } from "./folder-path.ts";

/** A stored page or asset as a file of a folder that opens offline. */

interface BrowsableFile {
  /** In the folder, below its pages. */
  path: string;
  /** Pages and style sheets in UTF-8, with links to the other files; everything else byte for byte. */
  body: string | Uint8Array;
  /** False if the parser cannot rewrite the page. Then its body is as the server sent it. */
  isRewritten: boolean;
}

/** Finds the paths of canonical URLs in the folder. */
type FindFiles = (urls: ReadonlySet<string>) => Promise<ReadonlyMap<string, string>>;

type FileStores = PageStores & { records: Pick<Records, "get" | "among"> };

/** Returns null if the crawl has no such page or asset. `url`: canonical. */
export async function readBrowsableFile(crawl: Crawl, url: string, deps: FileStores): Promise<BrowsableFile | null> {
  const record = await deps.records.get(crawl.id, url);
  const page = record?.status === "completed" ? await readStoredPage(crawl, url, deps) : null;
  if (record === null || page === null) return null;
  const path = folderPath(url, record.contentType);
  const { replay } = kindOf(page.contentType);
  if (replay === "bytes") return { path, body: page.body, isRewritten: true };
  const find: FindFiles = (urls) => findFiles(urls, (some) => deps.records.among(crawl.id, some));
  const text = replay === "html" ? await rewritePage(page, url, path, find) : await rewriteStyle(page, url, path, find);
  return text === null
    ? { path, body: page.body, isRewritten: false }
    : { path, body: withByteOrderMark(text), isRewritten: true };
}

/** Returns null if the parser cannot read the page. */
async function rewritePage(page: StoredPage, url: string, path: string, find: FindFiles): Promise<string | null> {
  const { text: html, encoding } = decodeHtml(page.body, page.contentType);
  const read = await unlessParserFails(async () => {
    const context = await contextOf(html, url, encoding);
    const { urls } = await collect(context, (links) => rewriteLinks(html, links));
    return { context, urls };
  });
  if (read === null) return null;
  const files = await find(read.urls);
  return unlessParserFails(() => rewriteLinks(html, new FolderLinks(read.context, path, files)));
}

async function rewriteStyle(page: StoredPage, url: string, path: string, find: FindFiles): Promise<string> {
  const css = decodeCss(page.body, page.contentType);
  const context = plainContext(url);
  const { urls } = await collect(context, (links) => rewriteCss(css, links));
  return rewriteCss(css, new FolderLinks(context, path, await find(urls)));
}

/** The links that a rewriting meets. */
async function collect(
  context: LinkContext,
  rewrite: (links: CollectedLinks) => string | Promise<string>,
): Promise<CollectedLinks> {
  const links = new CollectedLinks(context);
  await rewrite(links);
  return links;
}

async function unlessParserFails<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    logError("links-not-rewritten", error);
    return null;
  }
}

/**
 * A file has no Content-Type header, and its own declaration names the encoding that it had. The byte order mark wins
 * over both. https://encoding.spec.whatwg.org/#decode
 */
function withByteOrderMark(text: string): string {
  return /\P{ASCII}/u.test(text) ? `\ufeff${text}` : text;
}
