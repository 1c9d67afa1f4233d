import { access, constants, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { errorCode, UserError } from "./errors.ts";

/**
 * The folder that `--out` names. Each file is written under a temporary name and renamed when it is complete, and
 * records.jsonl comes last: a folder with records.jsonl is complete. crawl.json comes first and names the crawl.
 */

/** The crawl that a folder belongs to. */
interface Owner {
  id: string;
  /** Its seeds, for people. */
  urls: string[];
}

const OWNER_FILE = "crawl.json";
const RECORDS_FILE = "records.jsonl";
/** In the folder itself, because a rename works only within one disk. */
const PARTIAL_DIR = ".partial";

/**
 * Checks that the folder can be written and belongs to no other crawl. `id`: the id of the crawl or its beginning; null
 * for a crawl that has not started. Throws UserError.
 */
export async function prepareOut(dir: string, id: string | null): Promise<void> {
  try {
    await mkdir(join(dir, "pages"), { recursive: true });
    await access(dir, constants.W_OK);
  } catch (error) {
    throw new UserError(`The folder ${dir} cannot be written (${errorCode(error)}). Choose another with --out DIR.`);
  }
  const owner = await readOwner(dir);
  if (owner === null ? !(await hasRecords(dir)) : id !== null && owner.startsWith(id)) return;
  // Earlier versions wrote no crawl.json.
  const has = owner === null ? "already has the records of a crawl" : `has the pages of crawl ${owner}`;
  const again = owner === null ? "" : ` To write that crawl again: npm run orbweaver -- resume ${owner} --out ${dir}`;
  throw new UserError(`The folder ${dir} ${has}. Choose another with --out DIR, or remove this one.${again}`);
}

/** The id of the crawl that the folder belongs to; null if crawl.json is missing or names none. */
export async function readOwner(dir: string): Promise<string | null> {
  try {
    const { id } = JSON.parse(await readFile(join(dir, OWNER_FILE), "utf8")) as Partial<Owner>;
    return typeof id === "string" ? id : null;
  } catch {
    return null;
  }
}

async function hasRecords(dir: string): Promise<boolean> {
  return stat(join(dir, RECORDS_FILE)).then(
    () => true,
    () => false,
  );
}

/** What a writer adds to the folder. */
export interface FolderWriter {
  /** Writes a file, with a path below the folder. Several may be written at once. */
  addFile(path: string, content: Uint8Array | string): Promise<void>;
  /** Adds lines to records.jsonl. */
  addLines(lines: string): Promise<void>;
}

/**
 * Gives the folder to `write`, and renames records.jsonl when it returns. If it throws, an earlier records.jsonl stays,
 * and no temporary file does. Throws UserError if the folder belongs to another crawl.
 */
export async function writeFolder<T>(
  dir: string,
  owner: Owner,
  write: (folder: FolderWriter) => Promise<T>,
): Promise<T> {
  await prepareOut(dir, owner.id);
  const partialDir = join(dir, PARTIAL_DIR);
  // A kill leaves it behind.
  await rm(partialDir, { recursive: true, force: true });
  await mkdir(partialDir);
  let files = 0;
  const addFile = async (path: string, content: Uint8Array | string) => {
    const file = join(dir, path);
    // The server names the path, and `--remote` may name somebody else's.
    if (!resolve(file).startsWith(resolve(dir) + sep))
      throw new UserError(`The server names a file outside ${dir}: ${path}`);
    files += 1;
    const partial = join(partialDir, String(files));
    await writeFile(partial, content);
    await mkdir(dirname(file), { recursive: true });
    await rename(partial, file);
  };
  try {
    await addFile(OWNER_FILE, `${JSON.stringify(owner)}\n`);
    const partialRecords = join(partialDir, RECORDS_FILE);
    const records = await open(partialRecords, "w");
    try {
      const result = await write({ addFile, addLines: (lines) => records.appendFile(lines) });
      await records.close();
      await rename(partialRecords, join(dir, RECORDS_FILE));
      return result;
    } finally {
      // Closing twice has no effect.
      await records.close();
    }
  } finally {
    await rm(partialDir, { recursive: true, force: true });
  }
}
