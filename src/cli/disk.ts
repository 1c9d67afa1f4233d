import { statfs } from "node:fs/promises";

/** Free space on the disk of a folder. */

/** With less than this, a database cannot write a page and its journal. */
const FULL_BYTES = 1_048_576;

/** A message if one of these folders is on a full disk, else null. Ignores folders that do not exist. */
export async function describeFullDisk(folders: (string | undefined)[]): Promise<string | null> {
  for (const folder of folders) {
    if (folder === undefined) continue;
    const disk = await statfs(folder).catch(() => null);
    if (disk !== null && disk.bavail * disk.bsize < FULL_BYTES) return `The disk that ${folder} is on is full.`;
  }
  return null;
}
