import type { PageVersion } from "../../changes/page-version.ts";
import { logWarning } from "../../core/log.ts";
import type { FetchResult, StoredPage } from "../../crawl/page/outcome.ts";
import { kindOf } from "../../media/kind/kinds.ts";
import { weighsMuch } from "../../media/kind/weight.ts";

/**
 * What a watch has stored of a page that it visits. The page fetcher reads it beside the answer, so that a visit that
 * is compared takes one Worker invocation: a batch may start 32.
 */
export interface StoredCopy {
  /** Of its body, in hexadecimal digits; null if nothing is stored. */
  sha256: string | null;
  /** Called from another invocation. Null if nothing is stored any more. Throws what the stores throw. */
  read(): Promise<StoredPage | null>;
}

/**
 * The result with the version of the copy, if it is a page that is to be compared with it. Without it, whoever compares
 * reads the copy in an invocation of its own: so it is for one that is heavy or cannot be read here.
 */
export async function withStoredVersion(
  result: FetchResult,
  copy: StoredCopy,
  readVersion: (stored: StoredPage) => Promise<PageVersion | null>,
  hasReader: boolean,
): Promise<FetchResult> {
  if (result.kind !== "page" || result.version === null) return result;
  // The answer of a page that a browser drew may be the same while its scripts draw something else.
  if (result.sha256 === copy.sha256 && result.rendering === undefined) return result;
  try {
    const stored = await copy.read();
    if (stored !== null && isForReader(stored, hasReader)) return result;
    return { ...result, storedVersion: stored === null ? null : await readVersion(stored) };
  } catch (error) {
    logWarning("stored-version-not-read", { error: String(error) });
    return result;
  }
}

/** Whether the reader Worker reads a stored page: for its kind, or because of its size where there is one. */
export function isForReader({ contentType, body }: StoredPage, hasReader: boolean): boolean {
  const kind = kindOf(contentType);
  return kind.isHeavy === true || (hasReader && kind.isPage && weighsMuch(body, kind));
}
