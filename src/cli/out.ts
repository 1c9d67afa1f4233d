import { createWriteStream } from "node:fs";
import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RecordView } from "../api/views.ts";
import type { Client } from "./client.ts";
import { UserError } from "./errors.ts";

/** Writes a crawl to a folder: DIR/records.jsonl, a line per URL, and the bodies under DIR/pages/HOST/PATH. */

const AT_ONCE = 16;

/** Makes sure, before a crawl begins, that its results will find room. Throws UserError. */
export async function prepareOut(dir: string): Promise<void> {
  try {
    await mkdir(join(dir, "pages"), { recursive: true });
    await access(dir, 2);
  } catch (error) {
    throw new UserError(
      `The folder ${dir} cannot be written (${(error as NodeJS.ErrnoException).code}). Name another with --out DIR.`,
    );
  }
}

/** Returns the number of pages written. Writing the same crawl again overwrites it. */
export async function writeOut(dir: string, id: string, client: Client): Promise<number> {
  await prepareOut(dir);
  const lines = createWriteStream(join(dir, "records.jsonl"));
  let pages = 0;
  let group: RecordView[] = [];
  const flush = async () => {
    const written = await Promise.all(group.map((record) => writeRecord(dir, id, record, client)));
    pages += written.filter(({ file }) => file !== null).length;
    for (const line of written) lines.write(`${JSON.stringify(line)}\n`);
    group = [];
  };
  for await (const record of client.records(id)) {
    group.push(record);
    if (group.length === AT_ONCE) await flush();
  }
  await flush();
  await new Promise<void>((resolve, reject) => {
    lines.once("error", reject);
    lines.end(resolve);
  });
  return pages;
}

async function writeRecord(dir: string, id: string, { path, ...record }: RecordView, client: Client) {
  const file = path === null ? null : join("pages", path);
  if (file !== null) {
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), await client.page(id, record.url));
  }
  return { ...record, file };
}
