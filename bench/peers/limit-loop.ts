/** The work of both limit Workers: fetch each page once, decode it, and give it to a parser. */

/** Requests at once. The other peers make as many. */
const CONCURRENCY = 8;

type ReadHrefs = (html: string) => (string | null)[];

/** A Worker that answers `/?url=SEED` with the number of pages, after it has followed all links of one site. */
export function limitWorker(readHrefs: ReadHrefs) {
  return {
    fetch: async ({ url }: Request): Promise<Response> => {
      const seed = new URL(new URL(url).searchParams.get("url") ?? "");
      return new Response(String(await countPages(seed, readHrefs)));
    },
  };
}

/** Links of the generated site are paths, so nothing resolves them. Rejects for any answer but 200. */
async function countPages(seed: URL, readHrefs: ReadHrefs): Promise<number> {
  const queue: string[] = [];
  const seen = new Set([seed.pathname]);
  const visit = async (path: string): Promise<void> => {
    const answer = await fetch(seed.origin + path);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    for (const href of readHrefs(await answer.text())) {
      if (href === null || seen.has(href)) continue;
      seen.add(href);
      queue.push(href);
    }
  };
  const visitQueue = async (): Promise<void> => {
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) await visit(path);
  };
  await visit(seed.pathname);
  await Promise.all(Array.from({ length: CONCURRENCY }, visitQueue));
  return seen.size;
}
