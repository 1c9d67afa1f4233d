import { createWriteStream } from "node:fs";
import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CrawlDetail, FormattedRecordView } from "../api/views.ts";
import { withFrontMatter } from "../core/front-matter.ts";
import type { Client } from "./client.ts";
import { errorCode, UserError } from "./errors.ts";

/**
 * Writes a crawl to a folder: DIR/records.jsonl with a line per URL, the bodies under DIR/pages/HOST/PATH and, if the
 * crawl makes Markdown, each page's Markdown beside its body.
 */

const CONCURRENT_DOWNLOADS = 16;

/** Checks before a crawl that its folder can be written. Throws UserError. */
export async function prepareOut(dir: string): Promise<void> {
  try {
    await mkdir(join(dir, "pages"), { recursive: true });
    await access(dir, 2);
  } catch (error) {
    throw new UserError(`The folder ${dir} cannot be written (${errorCode(error)}). Choose another with --out DIR.`);
  }
}

/**
 * Returns how many pages and assets it wrote; overwrites existing files. Passes a line to `say` for each page without
 * Markdown.
 */
export async function writeOut(
  dir: string,
  { id, options }: CrawlDetail,
  client: Client,
  say: (line: string) => void,
): Promise<{ pages: number; assets: number }> {
  await prepareOut(dir);
  const formats = options.formats.filter((format) => format === "markdown");
  const lines = createWriteStream(join(dir, "records.jsonl"));
  const count = { pages: 0, assets: 0 };
  let group: FormattedRecordView[] = [];
  const write = async ({ path, markdown, problem, ...record }: FormattedRecordView) => {
    const file = path === null ? null : join("pages", path);
    if (file !== null) await writeFileIn(dir, file, await client.page(id, record.url));
    if (formats.length === 0) return { ...record, file };
    if (problem !== undefined) say(`No Markdown of ${record.url}: ${problem}.`);
    const markdownFile = file === null || markdown === undefined ? null : markdownName(file);
    if (markdownFile !== null) await writeFileIn(dir, markdownFile, withFrontMatter(record, markdown ?? ""));
    return { ...record, file, markdownFile };
  };
  const flush = async () => {
    const written = await Promise.all(group.map(write));
    for (const line of written) {
      if (line.file !== null) count[line.asset ? "assets" : "pages"] += 1;
      lines.write(`${JSON.stringify(line)}\n`);
    }
    group = [];
  };
  for await (const record of client.records(id, { formats })) {
    group.push(record);
    if (group.length === CONCURRENT_DOWNLOADS) await flush();
  }
  await flush();
  await new Promise<void>((resolve, reject) => {
    lines.once("error", reject);
    lines.end(resolve);
  });
  return count;
}

/**
 * Cannot collide with a page: page names with `~` end in `.html` (src/store/mirror-key.ts). A page may be called
 * `a.html.md`.
 */
export function markdownName(file: string): string {
  return `${file}~.md`;
}

async function writeFileIn(dir: string, file: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(join(dir, file)), { recursive: true });
  await writeFile(join(dir, file), content);
}
