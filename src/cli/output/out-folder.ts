import { access, constants, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { errorCode, UserError } from "../errors.ts";
import type { WhereOptions } from "../installation/installation.ts";
import { commandAt } from "./go-on.ts";

/**
 * The folder that `--out` names. crawl.json comes first: it names the crawl, and no other crawl may write the folder.
 * Each file is written under a temporary name and renamed when it is complete. records.jsonl comes last, and is removed
 * before the first file of a later writing: a folder with records.jsonl is complete.
 */

export interface OutFolder {
  dir: string;
  /** The installation that has the crawl, for the commands in messages. */
  where: WhereOptions;
}

/** The crawl that a folder belongs to. */
interface Owner {
  id: string;
  /** Its seeds, for people. */
  urls: string[];
}

/** The folder belongs to another crawl. */
export class FolderTaken extends UserError {}

const OWNER_FILE = "crawl.json";
const RECORDS_FILE = "records.jsonl";
/** In the folder itself, because a rename works only within one disk. */
const PARTIAL_DIR = ".partial";

/**
 * Checks that the folder belongs to no other crawl and can be written. `id`: the id of the crawl or its beginning; null
 * for a crawl that has not started. Throws FolderTaken, which changes nothing, and UserError.
 */
export async function prepareOut(folder: OutFolder, id: string | null): Promise<void> {
  const { dir } = folder;
  await refuseOthers(folder, id);
  try {
    await mkdir(join(dir, "pages"), { recursive: true });
    await access(dir, constants.W_OK);
  } catch (error) {
    throw new UserError(`The folder ${dir} cannot be written (${errorCode(error)}). Choose another with --out DIR.`);
  }
}

async function refuseOthers({ dir, where }: OutFolder, id: string | null): Promise<void> {
  const owner = await readOwner(dir);
  if (owner === null ? !(await hasRecords(dir)) : id !== null && owner.startsWith(id)) return;
  // Earlier versions wrote no crawl.json.
  const has = owner === null ? "already has the records of a crawl" : `belongs to crawl ${owner}`;
  const again = owner === null ? "" : ` To write that crawl again: ${commandFor(owner, dir, where)}`;
  throw new FolderTaken(`The folder ${dir} ${has}. Choose another with --out DIR, or remove this one.${again}`);
}

/** The command that writes the folder of a crawl. */
function commandFor(id: string, out: string, { remote, state }: WhereOptions): string {
  return commandAt(`resume ${id}`, { out, remote, state });
}

/**
 * Writes crawl.json, so that the folder belongs to this crawl from now on. If two crawls claim a folder at once, one of
 * them fails. Throws FolderTaken, and what the disk throws.
 */
export async function claimFolder(folder: OutFolder, owner: Owner): Promise<void> {
  const { dir, where } = folder;
  await prepareOut(folder, owner.id);
  if ((await readOwner(dir)) === owner.id) return;
  const path = join(dir, OWNER_FILE);
  const note = `The folder is complete when it has ${RECORDS_FILE}. To write it: ${commandFor(owner.id, dir, where)}`;
  try {
    const file = await open(path, "wx");
    try {
      await file.writeFile(`${JSON.stringify({ ...owner, note })}\n`);
    } catch (error) {
      // An empty file would keep every crawl out.
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    await refuseOthers(folder, owner.id);
    throw new FolderTaken(`${path} names no crawl. Remove it, or choose another folder with --out DIR.`);
  }
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
 * Gives the folder to `write`, and renames records.jsonl when it returns. If it throws, no temporary file stays, and an
 * earlier records.jsonl only if no file was written. Throws FolderTaken if the folder belongs to another crawl.
 */
export async function writeFolder<T>(
  folder: OutFolder,
  owner: Owner,
  write: (folder: FolderWriter) => Promise<T>,
): Promise<T> {
  const { dir } = folder;
  await claimFolder(folder, owner);
  const partialDir = join(dir, PARTIAL_DIR);
  // A kill leaves it behind.
  await rm(partialDir, { recursive: true, force: true });
  await mkdir(partialDir);
  let files = 0;
  let marking: Promise<void> | undefined;
  /** From the first file on, files of two writings may stand side by side. */
  const markIncomplete = () => (marking ??= rm(join(dir, RECORDS_FILE), { force: true }));
  const addFile = async (path: string, content: Uint8Array | string) => {
    const file = join(dir, path);
    // The server names the path, and `--remote` may name somebody else's.
    if (!resolve(file).startsWith(resolve(dir) + sep))
      throw new UserError(`The server names a file outside ${dir}: ${path}`);
    files += 1;
    const partial = join(partialDir, String(files));
    await writeFile(partial, content);
    await mkdir(dirname(file), { recursive: true });
    await markIncomplete();
    await rename(partial, file);
  };
  try {
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
