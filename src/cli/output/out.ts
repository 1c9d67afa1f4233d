import { join } from "node:path";
import type { CrawlDetail, FormattedRecordView } from "../../api/views.ts";
import { withFrontMatter } from "../../core/formats/front-matter.ts";
import { plural } from "../../core/shown-values.ts";
import type { Client } from "../installation/client.ts";
import { type FolderWriter, type OutFolder, writeFolder } from "./out-folder.ts";

/**
 * Writes a crawl to a folder: DIR/records.jsonl with a line per URL, the bodies under DIR/pages/HOST/PATH and, if the
 * crawl makes Markdown, each page's Markdown beside its body. Pictures of pages stand under DIR/screenshots/HOST/PATH.
 */

const CONCURRENT_DOWNLOADS = 16;

interface OutRequest extends OutFolder {
  /** Whether pages and style sheets get links to the other files, in place of their bytes as they came. */
  browsable: boolean;
  /** Gets a line for each page that is written without its Markdown or without such links. */
  say: (line: string) => void;
}

export interface Written {
  pages: number;
  assets: number;
  pictures: number;
  hasMarkdown: boolean;
  /** Where to begin in a browsable folder: the page with the fewest links from a seed. Null if there is none. */
  firstPage: string | null;
}

/** A sentence for people. */
export function describeWritten({ pages, assets, pictures, hasMarkdown, firstPage }: Written, dir: string): string {
  const isMore = assets > 0 || pictures > 0;
  const markdown = hasMarkdown && pages > 0 ? `, each with its Markdown${isMore ? "" : ","}` : "";
  const others = assets > 0 ? `, ${plural(assets, "asset")}` : "";
  const views = pictures > 0 ? `, ${plural(pictures, "screenshot")}` : "";
  const first = firstPage === null ? "" : ` Open ${join(dir, firstPage)} in a browser.`;
  return `Wrote ${plural(pages, "page")}${markdown}${others}${views} and records.jsonl to ${dir}.${first}`;
}

/**
 * Replaces the files of an earlier writing of the same crawl. Throws FolderTaken if the folder belongs to another
 * crawl, and what the client and the disk throw.
 */
export async function writeOut(crawl: CrawlDetail, client: Client, request: OutRequest): Promise<Written> {
  const { id, urls, options } = crawl;
  const { browsable, say } = request;
  const formats = options.formats.filter((format) => format === "markdown");
  const written: Written = { pages: 0, assets: 0, pictures: 0, hasMarkdown: formats.length > 0, firstPage: null };
  let leastDepth = Number.POSITIVE_INFINITY;

  /** The body and its path below `pages`. */
  const download = async (url: string, path: string): Promise<{ path: string; body: Uint8Array }> => {
    if (!browsable) return { path, body: await client.page(id, url) };
    const page = await client.browsablePage(id, url);
    if (!page.isRewritten) say(`The links of ${url} stay as they are: they cannot be rewritten.`);
    return page;
  };

  /** `path`: that of the page below `pages`; null if it is not written. */
  const writePicture = async (
    { url, rendered }: Pick<FormattedRecordView, "url" | "rendered">,
    path: string | null,
    folder: FolderWriter,
  ): Promise<{ screenshotFile: string | null }> => {
    const picture = path === null || rendered === null ? null : await client.screenshot(id, url);
    if (path === null || picture === null) return { screenshotFile: null };
    const screenshotFile = screenshotName(path);
    await folder.addFile(screenshotFile, picture);
    written.pictures += 1;
    return { screenshotFile };
  };

  return writeFolder(request, { id, urls }, async (folder) => {
    const writeRecord = async ({ file: path, markdown, problem, ...record }: FormattedRecordView) => {
      const page = path === null ? null : await download(record.url, path);
      const file = page === null ? null : join("pages", page.path);
      if (page !== null && file !== null) await folder.addFile(file, page.body);
      const pictured = options.screenshot ? await writePicture(record, page?.path ?? null, folder) : {};
      if (formats.length === 0) return { ...record, file, ...pictured };
      if (problem !== undefined) say(`No Markdown of ${record.url}: ${problem}.`);
      const markdownFile = file === null || markdown === undefined ? null : markdownName(file);
      if (markdownFile !== null) await folder.addFile(markdownFile, withFrontMatter(record, markdown ?? ""));
      return { ...record, file, markdownFile, ...pictured };
    };
    const writeGroup = async (group: FormattedRecordView[]) => {
      const writing = group.map(writeRecord);
      // If one fails, the others end first: the temporary files are removed then.
      await Promise.allSettled(writing);
      const lines = await Promise.all(writing);
      for (const { file, asset, depth } of lines) {
        if (file === null) continue;
        written[asset ? "assets" : "pages"] += 1;
        if (!browsable || asset || depth >= leastDepth) continue;
        leastDepth = depth;
        written.firstPage = file;
      }
      await folder.addLines(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    };
    let group: FormattedRecordView[] = [];
    for await (const record of client.records(id, { formats })) {
      group.push(record);
      if (group.length < CONCURRENT_DOWNLOADS) continue;
      await writeGroup(group);
      group = [];
    }
    await writeGroup(group);
    return written;
  });
}

/**
 * Cannot collide with a page: page names with `~` end in `.html` (src/store/mirror/mirror-key.ts), or in the extension
 * of their type (src/reading/folder/folder-path.ts). A page may be called `a.html.md`.
 */
export function markdownName(file: string): string {
  return `${file}~.md`;
}

/** Cannot collide with another picture or a folder of pictures, for the same reason. `path`: below `pages`. */
function screenshotName(path: string): string {
  return join("screenshots", `${path}~.jpg`);
}
