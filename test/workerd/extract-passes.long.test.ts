import { env } from "cloudflare:test";
import { afterEach, expect, test } from "vitest";
import type { DoStep } from "../../src/passes/pass-run.ts";
import { answerOf } from "../sites/made-shop.ts";
import { pagesOf, ShopWorld } from "./shop-world.ts";

/** Rules that are made of what a model found in some pages read the others. */

afterEach(async () => {
  await env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'");
  await env.LEDGER.exec("UPDATE crawls SET deleting_at = 1 WHERE options ->> '$.extract' IS NOT NULL");
});

test("a shop of two templates costs some calls, and its values are right", async () => {
  const world = new ShopWorld([...pagesOf("p", 90), ...pagesOf("item", 90)]);
  const id = await world.crawl();
  await world.extract(id);
  const score = await world.score(id);
  expect(score.pages).toBe(180);
  expect(world.questions.length).toBeLessThan(45);
  expect(score.problems).toEqual([]);
  const asked = world.questions.length;
  await world.extract(id);
  expect(world.questions).toHaveLength(asked);
});

test("a model that errs now and then is outvoted by its other samples", async () => {
  const world = new ShopWorld(pagesOf("p", 120));
  world.err = (page, nth) => {
    const right = answerOf(page);
    const shipping = /\$\d+\.00/.exec(page.html.slice(page.html.indexOf("also")))?.[0] ?? "";
    // One answer of six has the price of the shipping, and one lacks a value.
    if (nth % 6 === 2)
      return {
        values: { ...right.values, price: Number(shipping.slice(1)) },
        evidence: right.evidence.map((each) => (each.path === "/price" ? { ...each, words: shipping } : each)),
      };
    return nth % 6 === 5 ? { ...right, values: { ...right.values, brand: null } } : null;
  };
  const id = await world.crawl();
  await world.extract(id);
  const score = await world.score(id);
  expect([score.byRules > 80, score.wrong, score.missing + score.extra <= 0.02 * score.right]).toEqual([true, 0, true]);
});

test("pages of a new form are asked about, and their rules made", async () => {
  const moved = pagesOf("item", 100).map((page) => {
    const i = Number(/\d+$/.exec(page.path)?.[0]);
    if (i < 60) return page;
    const html = page.html.replaceAll("<table>", "<dl>").replaceAll("</table>", "</dl>");
    return { ...page, html: html.replace(/<tr><th>(.*?)<\/th><td>(.*?)<\/td><\/tr>/g, "<dt>$1</dt><dd>$2</dd>") };
  });
  const world = new ShopWorld(moved);
  const id = await world.crawl();
  await world.extract(id);
  const score = await world.score(id);
  expect(score.problems).toEqual([]);
  expect(score.byRules).toBeGreaterThan(75);
});

test("the limit of calls holds, a pass that dies pays nothing twice, and what rules read stays", async () => {
  const world = new ShopWorld(pagesOf("p", 60));
  const id = await world.crawl({ modelCalls: 5 });
  let steps = 0;
  const dying: DoStep = async (_, work) => {
    steps += 1;
    const done = await work();
    if (steps % 7 === 0) throw new Error("killed");
    return done;
  };
  for (let lives = 0; lives < 30; lives++) {
    const ended = await world.extract(id, dying).then(
      () => true,
      () => false,
    );
    if (ended) break;
    await env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'");
  }
  expect(world.questions.length).toBeLessThanOrEqual(5);
  expect(new Set(world.questions).size).toBe(world.questions.length);
  const score = await world.score(id);
  expect([score.wrong, score.missing, score.extra]).toEqual([0, 0, 0]);
});

test("a page that changed is read by the rules, and the model is not asked", async () => {
  const world = new ShopWorld(pagesOf("item", 60));
  const id = await world.crawl();
  await world.extract(id);
  const asked = world.questions.length;
  await env.LEDGER.prepare(
    "UPDATE urls SET extracted = NULL, extracted_of = NULL WHERE crawl = ?1 AND url LIKE '%b-33'",
  )
    .bind(id)
    .run();
  await world.extract(id);
  expect(world.questions).toHaveLength(asked);
  expect(await world.score(id)).toMatchObject({ pages: 60, wrong: 0, missing: 0, extra: 0 });
});

test("values that no rule reads are asked about page by page, and so is each page with extractBy model", async () => {
  const world = new ShopWorld(pagesOf("p", 30));
  // Words that no page has.
  world.err = (page) => ({ ...answerOf(page), values: { ...answerOf(page).values, brand: "Somebody" } });
  const id = await world.crawl();
  await world.extract(id);
  expect((await world.score(id)).pages).toBe(30);
  const other = new ShopWorld(pagesOf("p", 30));
  const all = await other.crawl({ extractBy: "model" });
  await other.extract(all);
  expect(other.questions).toHaveLength(31);
});
