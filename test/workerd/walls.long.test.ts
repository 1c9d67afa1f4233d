import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { HostTexts } from "../../src/store/learned/host-texts.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";

/** Answers with the status 200 that stand before pages, and edits of whole sites that look a little like them. */

useModelLedger();

const PAGES = Array.from({ length: 40 }, (_, i) => `${SEED}${i}`);
const WORDS = "amber basin cedar delta ember fjord grove haven inlet jetty knoll ledge marsh north orchard".split(" ");

/** A text of its own for each page and edition, in letters. */
function textOf(url: string, edition = 0): string {
  const seed = [...new URL(url).pathname].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7 + edition * 977);
  const word = (at: number) => WORDS[Math.abs((seed * (at + 3) * 7919 + at * at * 104_729) >> 3) % WORDS.length] ?? "";
  const line = (first: number) => Array.from({ length: 9 }, (_, at) => word(first + at)).join(" ");
  return Array.from({ length: 4 }, (_, block) => line(block * 9)).join(" / ");
}

const pageOf = (url: string, edition = 0): SiteAnswer => ({
  text: textOf(url, edition),
  links: url === SEED ? PAGES : [],
  etag: null,
});

async function watchSite() {
  const state: { answer: (url: string, world: WatchedWorld) => SiteAnswer | null } = { answer: () => null };
  const world: WatchedWorld = new WatchedWorld((url) => state.answer(url, world) ?? pageOf(url));
  const id = await world.watch(DAY_MS);
  await world.pass(DAY_MS, 2 * HOUR_MS);
  return { state, world, id, troubled: () => world.deps.watchHosts.troubled(id, world.now, 10) };
}

const letters = (n: number) => String(Math.floor(n)).replaceAll(/\d/g, (digit) => "qwertzuiop"[Number(digit)] ?? "");

describe.each<[string, (url: string, now: number) => SiteAnswer]>([
  ["one text", () => ({ text: "Dienst gestört / Bitte später noch einmal", etag: null })],
  [
    "a text with a number for each request",
    (_, now) => ({
      text: `しばらくお待ちください / メンテナンス中です / 番号 ${now}`,
      noise: letters(now),
      etag: null,
    }),
  ],
  [
    "a log-in with a link for each page",
    (url) => ({
      text: "Melde dich an / Name / Kennwort",
      links: [`${SEED}login?next=${new URL(url).pathname}`],
      etag: null,
    }),
  ],
  ["a redirect to a log-in", (url) => ({ redirect: `${SEED}login?next=${new URL(url).pathname}` })],
])("a site that answers every URL with %s", (_, wall) => {
  test("for two days is told of in no change, and in trouble with its evidence", async () => {
    const { state, world, id, troubled } = await watchSite();
    const before = await env.LEDGER.prepare("SELECT url, sha256, pack_offset FROM urls WHERE crawl = ?1")
      .bind(id)
      .all();
    const rates = "SELECT url, rate_changes FROM urls WHERE crawl = ?1 AND rate_changes > 0";
    state.answer = (url, { now }) => wall(url, now);
    await world.pass(2 * DAY_MS);
    const [trouble] = await troubled();
    expect(trouble).toMatchObject({
      host: "a.test",
      why: expect.stringMatching(/other pages? of the host answer|it redirects/),
    });
    state.answer = () => null;
    await world.pass(4 * DAY_MS, 2 * HOUR_MS);
    // Its first page may be told before others have turned, and is told again.
    expect((await world.told(id)).length).toBeLessThanOrEqual(2);
    expect(await troubled()).toEqual([]);
    const after = await env.LEDGER.prepare("SELECT url, sha256, pack_offset FROM urls WHERE crawl = ?1").bind(id).all();
    if ((await world.told(id)).length === 0) expect(after.results).toEqual(before.results);
    expect(after.results.map(({ url }) => url)).toEqual(before.results.map(({ url }) => url));
    expect((await env.LEDGER.prepare(rates).bind(id).all()).results.length).toBeLessThanOrEqual(1);
    const template = (await new HostTexts(env.LEDGER, "templates", "template").read([id], "a.test")).get(id);
    // The sample of its stored pages.
    if (template !== undefined) expect(JSON.parse(template)).toMatchObject({ pages: 25, versions: 25 });
  });
});

test("a page that is found while its host answers every other URL with one text is told when it answers itself", async () => {
  const { state, world, id } = await watchSite();
  const found = `${SEED}found`;
  const wall: SiteAnswer = { text: "Dienst gestört / Bitte später noch einmal", etag: null };
  // The home page still answers, and links to a new page.
  const home: SiteAnswer = { ...pageOf(SEED), links: [...PAGES, found] } as SiteAnswer;
  state.answer = (url) => (url === SEED ? null : wall);
  await world.pass(2 * DAY_MS);
  state.answer = (url) => (url === SEED ? home : wall);
  await world.pass(4 * DAY_MS);
  const row = "SELECT status, reason, sha256 FROM urls WHERE crawl = ?1 AND url = ?2";
  expect(await env.LEDGER.prepare(row).bind(id, found).first()).toEqual({
    status: "errored",
    reason: "wall",
    sha256: null,
  });
  expect(await world.told(id)).toEqual([]);
  state.answer = (url) => (url === SEED ? home : null);
  await world.pass(5 * DAY_MS);
  expect(await world.told(id)).toEqual(["added /found"]);
});

test("a site that ends with one text for every URL is told after two weeks", async () => {
  const { state, world, id, troubled } = await watchSite();
  state.answer = () => ({ text: "We have closed our shop / Thank you for twenty years", etag: null });
  await world.pass(13 * DAY_MS, 2 * HOUR_MS);
  expect((await world.told(id)).length).toBeLessThanOrEqual(1);
  expect(await troubled()).toHaveLength(1);
  await world.pass(7 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toHaveLength(41);
});

test("a site whose pages all get another text, each its own, is told within two days and in no trouble", async () => {
  const { state, world, id, troubled } = await watchSite();
  state.answer = (url) => pageOf(url, 1);
  await world.pass(DAY_MS);
  expect(await troubled()).toEqual([]);
  await world.pass(2 * DAY_MS);
  expect((await world.told(id)).toSorted()).toEqual(
    [SEED, ...PAGES].map((url) => `changed ${new URL(url).pathname}`).toSorted(),
  );
});

test("three pages that end with one sentence are told after three days, and the host is in no trouble", async () => {
  const { state, world, id, troubled } = await watchSite();
  const ended = PAGES.slice(0, 3);
  state.answer = (url) =>
    ended.includes(url) ? { text: "This lamp is made no more / See its successor", etag: null } : null;
  await world.pass(2 * DAY_MS);
  expect(await troubled()).toEqual([]);
  await world.pass(4 * DAY_MS, 2 * HOUR_MS);
  expect((await world.told(id)).toSorted()).toEqual(["changed /0", "changed /1", "changed /2"]);
});

test("five pages whose session ends for eight days are told of in no change, though the host is well", async () => {
  const { state, world, id } = await watchSite();
  const account = PAGES.slice(0, 5);
  state.answer = (url) => (account.includes(url) ? { redirect: `${SEED}login?next=${account.indexOf(url)}` } : null);
  await world.pass(9 * DAY_MS, 2 * HOUR_MS);
  state.answer = () => null;
  await world.pass(11 * DAY_MS, 2 * HOUR_MS);
  expect(await world.told(id)).toEqual([]);
});

test("a site of one page is held for a second look where its text is another one, and told then", async () => {
  let edition = 0;
  const world = new WatchedWorld((url) => ({ ...pageOf(url, edition), links: [] }) as SiteAnswer);
  const id = await world.watch(DAY_MS);
  await world.pass(2 * DAY_MS);
  edition = 1;
  await world.pass(2.5 * DAY_MS);
  expect(await world.told(id)).toEqual(["changed /"]);
});

test("a page in another language is told after three days, and at the next visit when it is back to its own", async () => {
  const { state, world, id } = await watchSite();
  const spoken = `${SEED}7`;
  let language = "en";
  const answerIn = (url: string): SiteAnswer => {
    const edition = language === "en" ? 0 : 1;
    return { text: `(${language}) ${textOf(url, edition)}`, etag: null };
  };
  state.answer = (url) => (url === spoken ? answerIn(url) : null);
  // Its text has a language from now on.
  await world.pass(3 * DAY_MS);
  const before = await world.told(id);
  language = "de";
  await world.pass(2.5 * DAY_MS);
  expect(await world.told(id)).toEqual(before);
  await world.pass(3 * DAY_MS);
  expect(await world.told(id)).toEqual([...before, "changed /7"]);
  language = "en";
  await world.pass(2 * DAY_MS);
  expect(await world.told(id)).toEqual([...before, "changed /7", "changed /7"]);
});
