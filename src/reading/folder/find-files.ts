import type { LinkTarget } from "../../crawl/page/link-target.ts";
import { MAX_FOLLOWED_REDIRECTS, redirectTarget } from "../../crawl/page/redirect-target.ts";
import { folderPath } from "./folder-path.ts";

/**
 * The paths of stored pages and assets in a folder, by URL. A URL that redirects to a stored one has the path of that
 * one; other URLs are left out. `urls`: canonical. `lookUp` reads the records that the crawl has of some URLs; it is
 * called once for each step of the longest redirect.
 */
export async function findFiles(
  urls: ReadonlySet<string>,
  lookUp: (urls: string[]) => Promise<LinkTarget[]>,
): Promise<Map<string, string>> {
  const targets = new Map<string, LinkTarget>();
  let wanted = [...urls];
  for (let step = 0; wanted.length > 0 && step <= MAX_FOLLOWED_REDIRECTS; step++) {
    const found = await lookUp(wanted);
    for (const target of found) targets.set(target.url, target);
    const next = found.map(redirectTarget).filter((url) => url !== null && !targets.has(url));
    wanted = [...new Set(next as string[])];
  }
  const files = new Map<string, string>();
  for (const url of urls) {
    const target = followRedirects(url, targets);
    if (target !== null) files.set(url, folderPath(target.url, target.contentType));
  }
  return files;
}

/** The stored page or asset to which the URL leads; null if it leads to none. */
function followRedirects(url: string, targets: ReadonlyMap<string, LinkTarget>): LinkTarget | null {
  let next: string | null = url;
  for (let step = 0; next !== null && step <= MAX_FOLLOWED_REDIRECTS; step++) {
    const target: LinkTarget | null = targets.get(next) ?? null;
    // A media file that is described has no file.
    if (target?.status === "completed") return target.sha256 === null ? null : target;
    next = redirectTarget(target);
  }
  return null;
}
