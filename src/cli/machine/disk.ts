import { statfs } from "node:fs/promises";

/** Free space on the disk of a folder. */

/** With less than this, a database cannot write a page and its journal. */
const FULL_BYTES = 1_048_576;

/** The bytes that may still be written to the disk of a folder. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** A message if one of these folders is on a full disk, else null. Ignores folders that do not exist. */
export async function describeFullDisk(folders: (string | undefined)[]): Promise<string | null> {
  for (const folder of folders) {
    if (folder === undefined) continue;
    const free = await freeBytesOf(folder).catch(() => null);
    if (free !== null && free < FULL_BYTES) return `The disk that ${folder} is on is full.`;
  }
  return null;
}
