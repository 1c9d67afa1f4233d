import { expect, test } from "vitest";
import { sha256Of } from "../../src/archive/sha256.ts";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { capturePage } from "../../src/fetch/answer/capture-page.ts";
import { readStoredPage } from "../../src/store/mirror/read-mirror.ts";
import { World } from "./world.ts";

/** A page whose content the crawl has already is a revisit of a page that the ledger holds. */

const SEED = "https://a.test/";
const BODY = new TextEncoder().encode("the same");

test("a page can be read although another page of its batch with the same content was swept", async () => {
  let pages = 0;
  const world = new World(
    // The first page has a link, so it stays open if the crawl ends before the commit; the second is completed.
    (url) => ({ links: url === SEED ? [`${SEED}a`, `${SEED}b`] : url === `${SEED}a` ? [`${SEED}new`] : [] }),
    {
      beforeCommit: async () => {
        if (pages === 3) await world.deps.ledger.cancel(crawl, "cancelled_by_user", world.now);
      },
    },
  );
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets) => {
    pages += 1;
    const page = await fetchPage({ ...request, capture: null }, secrets);
    if (page.kind !== "page" || request.capture === null) return page;
    const answer = { statusText: "OK", date: 1_000, headers: [], requestHeaders: [] };
    const body = request.url === SEED ? page.body : BODY;
    return capturePage(request.url, { ...page, body, sha256: sha256Of(body) }, answer, request.capture);
  };
  const crawl = await world.start([SEED], { store: "warc" });
  await world.runToEnd(crawl);
  const statusOf = async (url: string) => (await world.deps.records.get(crawl, url))?.status;
  expect([await statusOf(`${SEED}a`), await statusOf(`${SEED}b`)]).toEqual(["cancelled", "completed"]);
  const state = (await world.deps.ledger.crawl(crawl)) as Crawl;
  expect((await readStoredPage(state, `${SEED}b`, world.deps))?.body).toEqual(BODY);
});
