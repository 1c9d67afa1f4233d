import { ApiProblem, type Mistake } from "../../api/requests/api-problem.ts";
import type { ListView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { listDefaults } from "../../crawl/lists/list-defaults.ts";
import { decodeList, type ListedSeed, pageOf, whyInvalid } from "../../crawl/lists/page-url.ts";
import { type Lists, startList } from "../../crawl/lists/send-list.ts";
import { UnreadableList } from "../../crawl/lists/unreadable-list.ts";
import { hasUserInfo } from "../../url/user-info.ts";
import { callApi } from "../call-api.ts";
import type { PageContext } from "../page-context.ts";
import { SUGGESTED_LIMIT } from "./crawl-form-data.ts";

/** Starts the crawl of a list that the form uploads: a file of lines, CSV, JSON or a sitemap, as `--urls` takes. */

export const MAX_LIST_URLS = 100_000;
/** Of the whole form. */
export const MAX_LIST_BYTES = 20 * 1024 * 1024;

/** The file of the form; null if none is chosen. */
export async function listOf(c: PageContext): Promise<File | null> {
  const { list } = await c.req.parseBody();
  return list instanceof File && list.size > 0 ? list : null;
}

/** `request`: of the form; its URL, if there is one, is a seed too. Throws ApiProblem. */
export async function startListed(
  c: PageContext,
  file: File,
  request: Record<string, unknown>,
): Promise<{ id: string }> {
  const seeds = await seedsOf(file, request);
  const { url: _, urls: __, ...rest } = request;
  const limit = request.limit === Number(SUGGESTED_LIMIT) ? undefined : (request.limit as number | undefined);
  const depth = (request.depth as number | undefined) ?? 0;
  const implied = listDefaults(seeds.length, { limit, depth, source: request.source as string | undefined });
  const lists: Lists = {
    start: (body, list) => callApi(c, "POST", `/api/crawls?list=${list}`, body),
    addSeeds: (id, urls, last) => callApi<ListView>(c, "POST", `/api/crawls/${id}/urls`, { urls, last }),
    mistakesOf: (error) => (error instanceof ApiProblem ? error.mistakes : null),
  };
  try {
    return await startList({ ...rest, ...implied }, seeds, lists);
  } catch (error) {
    const mistakes = error instanceof ApiProblem ? error.mistakes : [];
    // The seeds of the request are those of the file.
    if (error instanceof ApiProblem && mistakes.some(({ path = "" }) => path.startsWith("urls.")))
      throw new ApiProblem(error.status, mistakes.map(inList));
    throw error;
  }
}

function inList(mistake: Mistake): Mistake {
  return mistake.path?.startsWith("urls.") ? { ...mistake, path: "list" } : mistake;
}

/** Each page once. Lines that name none are left out, unless none is left. Throws ApiProblem, also for a log-in. */
async function seedsOf(file: File, { url, urls = [] }: Record<string, unknown>): Promise<ListedSeed[]> {
  const found = new Map<string, ListedSeed>();
  for (const typed of [url, ...(urls as string[])])
    if (typeof typed === "string" && typed !== "") found.set(typed, { url: typed, place: "form" });
  // Its parser of tables is not needed at the start of the Worker.
  const { readList } = await import("../../crawl/lists/read-list.ts");
  try {
    for (const { text, line, isSitemap } of readList(decodeList(new Uint8Array(await file.arrayBuffer())), file.name)) {
      if (isSitemap) throw new UnreadableList(`${file.name} is an index of sitemaps: write its URL into “Sitemaps”.`);
      const page = pageOf(text);
      if (page === null && hasUserInfo(text))
        throw new UnreadableList(`Line ${count(line)} of ${file.name}: ${whyInvalid({ text })}.`);
      if (page !== null && !found.has(page)) found.set(page, { url: page, place: `line ${count(line)}` });
    }
  } catch (error) {
    if (error instanceof UnreadableList) throw problemOf(error.message);
    throw error;
  }
  if (found.size === 0) throw problemOf(`${file.name} has no URL that can be crawled.`);
  if (found.size > MAX_LIST_URLS)
    throw problemOf(
      `${file.name} has ${plural(found.size, "URL")}; a list here has at most ${count(MAX_LIST_URLS)}. Use orbweaver crawl --urls FILE --remote ADDRESS.`,
    );
  return [...found.values()];
}

function problemOf(message: string): ApiProblem {
  return new ApiProblem(400, [{ code: "invalid-list", message, path: "list" }]);
}
