import { statfs } from "node:fs/promises";

/** Of the disk that a folder is on. */

/** Less than this is nothing to a database that has to write a page and its journal. */
const FULL_BYTES = 1_048_576;

/** A sentence where one of these folders is on a disk without room; null where none is. Folders that are not there are passed over. */
export async function fullDisk(folders: (string | undefined)[]): Promise<string | null> {
  for (const folder of folders) {
    if (folder === undefined) continue;
    const disk = await statfs(folder).catch(() => null);
    if (disk !== null && disk.bavail * disk.bsize < FULL_BYTES) return `The disk that ${folder} is on is full.`;
  }
  return null;
}
