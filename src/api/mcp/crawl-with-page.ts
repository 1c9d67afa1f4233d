import type { VersionsView } from "../views.ts";
import type { Api } from "./ask-api.ts";
import { own } from "./own-words.ts";
import { ToolProblem } from "./tool.ts";

/** Finds the crawl to read a page from, where the caller names none. */

/** Versions that are looked at. More than these without a page are rare. */
const LOOKED_AT = "20";

/** The newest crawl that stores a page for the URL. Throws ToolProblem with what to do instead. */
export async function findCrawlWithPage(url: string, api: Api): Promise<string> {
  const { versions } = await api.get<VersionsView>("/api/versions", { url, limit: LOOKED_AT });
  const stored = versions.find(({ status, bytes }) => status === "completed" && bytes !== null);
  if (stored !== undefined) return stored.crawl;
  const redirect = versions.find(({ redirectTo }) => redirectTo !== null)?.redirectTo;
  throw new ToolProblem(
    redirect == null
      ? {
          head: own`No crawl here stores a page for this URL. Find pages by \`search\` or \`records\`, or ask \`explain\` with a crawl why it is missing.`,
          quoted: url,
        }
      : { head: own`This URL redirects: ask for the one that follows.`, quoted: `${url} redirects to ${redirect}` },
  );
}
