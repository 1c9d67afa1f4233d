import { readdir } from "node:fs/promises";

/** Counts the files below a directory, at any depth, whose names end with `ending`. */
export async function countFiles(dir: string, ending = ""): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith(ending)).length;
}
