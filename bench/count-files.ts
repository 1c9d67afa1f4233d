import { readdir } from "node:fs/promises";

/** Files anywhere below a directory whose names end so. */
export async function countFiles(dir: string, ending = ""): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith(ending)).length;
}
