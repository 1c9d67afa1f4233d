import { env } from "cloudflare:test";
import { afterEach, expect, test } from "vitest";
import { answerOf, type ShopPage } from "../sites/made-shop.ts";
import { pagesOf, ShopWorld } from "./shop-world.ts";

/** How many values of larger shops are right by rules, and what that takes of the model: docs/extract.md. */

afterEach(async () => {
  await env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'");
  await env.LEDGER.exec("UPDATE crawls SET deleting_at = 1 WHERE options ->> '$.extract' IS NOT NULL");
});

const COUNT = 750;
const both = [...pagesOf("p", COUNT), ...pagesOf("item", COUNT)];

/** The second shop: each fiftieth page has a leasing price in the place of its own, which no sample need show. */
const leasing = both.map((page, i): ShopPage => {
  if (i % 50 !== 7 || page.values.price === null) return page;
  const lease = `<p class="price"><span class="amount">$1.99</span> a month</p>`;
  return { ...page, html: page.html.replace("</h1>", `</h1>${lease}`) };
});

const errs = (page: ShopPage, nth: number) => {
  const right = answerOf(page);
  return nth % 10 === 6 ? { ...right, values: { ...right.values, brand: null, features: null } } : null;
};

test.each([
  ["plain", "reads well", both, () => null],
  ["plain", "misses values in one page of ten", both, errs],
  ["with prices that lead astray", "reads well", leasing, () => null],
] as const)("a shop %s, a model that %s", { timeout: 600_000 }, async (shop, model, pages, err) => {
  const world = new ShopWorld(pages);
  world.err = err;
  const id = await world.crawl();
  await world.extract(id);
  const { byRules, right, wrong, missing, extra } = await world.score(id);
  const all = right + wrong + missing + extra;
  const share = (part: number) => `${((100 * part) / all).toFixed(2)} %`;
  const calls = world.questions.length;
  console.log(
    `| ${shop} | ${model} | ${pages.length} | ${calls} | ${byRules} | ${share(right)} | ${share(wrong)} | ${share(missing)} | ${share(extra)} |`,
  );
  expect(calls).toBeLessThan(120);
  expect(byRules).toBeGreaterThan(0.9 * pages.length);
  expect(right / all).toBeGreaterThan(0.98);
});
