import { createExecutionContext, env } from "cloudflare:test";
import { XMLValidator } from "fast-xml-parser";
import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { keepSite } from "./kept-site.ts";
import { World } from "./world.ts";

/** The link graph of an analyzed crawl as files. */

const HOME = "https://a.test/";
const [A, B] = [`${HOME}a`, `${HOME}b`];

test("the files have each URL with its rank and in-links, and each link, after an analysis", async () => {
  const world = new World(() => ({ links: [] }));
  const id = await world.start([HOME], {});
  await world.runToEnd(id);
  await keepSite(id, [
    { url: HOME, links: [A, B] },
    { url: A, links: [B, `${HOME}unlisted`] },
    { url: B, links: [] },
  ]);
  const ask = (format: string) =>
    app.request(
      `/api/crawls/${id}/export?format=${format}`,
      { headers: { authorization: "Bearer test-token" } },
      env,
      createExecutionContext(),
    );
  const early = await ask("graphml");
  expect([early.status, await early.text()]).toEqual([409, expect.stringContaining(`orbweaver analyze ${id}`)]);
  await analyzeCrawl(id, world);

  const nodes = await parquetReadObjects({ file: await (await ask("graph-nodes")).arrayBuffer() });
  expect(nodes).toMatchObject([
    { id: 0, url: HOME, status: "completed", inLinks: 0 },
    { id: 1, url: A, status: "completed", inLinks: 1 },
    { id: 2, url: B, status: "completed", inLinks: 2 },
  ]);
  const ranks = nodes.map(({ pageRank }) => pageRank as number);
  expect(ranks.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 6);
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  expect(await parquetReadObjects({ file: await (await ask("graph-edges")).arrayBuffer() })).toEqual([
    { source: 0, target: 1 },
    { source: 0, target: 2 },
    { source: 1, target: 2 },
  ]);
  const answer = await ask("graphml");
  expect(answer.headers.get("content-disposition")).toMatch(/filename="a\.test-[0-9a-f]{8}\.graphml"/);
  const xml = await answer.text();
  expect(XMLValidator.validate(xml)).toBe(true);
  expect(xml).toContain('<edge source="n1" target="n2"/>');
});
