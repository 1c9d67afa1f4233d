import { own } from "./own-words.ts";
import { ToolProblem } from "./tool.ts";

/**
 * Cursors of records hold a URL or a title, which a site wrote. Agents get and send them in base64url, in which nobody
 * reads a sentence.
 */

export function writeCursor(cursor: string): string {
  return Buffer.from(cursor).toString("base64url");
}

/** `given`: undefined for the first page. Throws ToolProblem. */
export function readCursor(given = ""): string {
  if (/^[\w-]*$/.test(given)) return Buffer.from(given, "base64url").toString();
  throw new ToolProblem({ head: own`cursor: it is not the cursor of an earlier answer.` });
}
