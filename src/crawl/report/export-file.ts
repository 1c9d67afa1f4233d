import type { Usage } from "../bounds/usage.ts";
import type { Pass } from "./pass.ts";

/** A file that an export writes in the background, in parts. */

export interface WrittenPart {
  bytes: number;
  /** What it took of the platform. */
  usage: Usage;
  /** The cursor of the next part; null in the last part. */
  next: string | null;
}

/** Writes a part of the file of this pass as an object of its own. Repeated, it replaces it. */
export type WriteExportPart = (pass: Pick<Pass, "crawl" | "id">, part: number, cursor: string) => Promise<WrittenPart>;
