import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { writeSecrets } from "../../src/fetch/request/session-secrets.ts";
import { resumeCrawl } from "../../src/lifecycle/start.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { FIRST_SEED, RUNS } from "./platform/chaos-runs.ts";
import { Random } from "./platform/random.ts";
import { type Answer, World } from "./world.ts";

/**
 * Drawn sites for members, whose sessions end after some pages, under kills before and after commits and doubled
 * messages. A person brings the session again each time that the crawl pauses. In the end each page is there once, as
 * members see it, and no page of the log-in. A page that has met the end of three sessions may be `log-in`: it could be
 * the page that ends them.
 */

const SITE = "https://members.test/";
const STRANGERS = ["401", "redirect", "form"] as const;

class Members {
  /** The token that counts now, and the pages that it has left. */
  #token = 0;
  #left = 0;
  readonly strangers = new Set<string>();
  /** By page, the sessions that had ended when it was asked for. */
  readonly #ends = new Map<string, Set<number>>();
  readonly #links: Map<string, string[]>;
  readonly #random: Random;

  constructor(random: Random, paths: readonly string[]) {
    this.#random = random;
    const pages = ["", ...paths];
    // A tree, so that each page is found, and some links more.
    this.#links = new Map(pages.map((path) => [path, [] as string[]]));
    for (const [i, path] of paths.entries()) {
      this.#links.get(pages[random.between(0, i)] ?? "")?.push(SITE + path);
      this.#links.get(path)?.push(SITE + (pages[random.between(0, pages.length - 1)] ?? ""));
    }
  }

  logIn(): string {
    this.#token += 1;
    this.#left = this.#random.between(3, 12);
    return writeSecrets({
      cookies: [
        { host: "members.test", name: "sid", value: `${this.#token}`, path: "/", secure: true, expiresAt: null },
      ],
      headers: [],
    });
  }

  /** Whether this page has met the end of so many sessions that the crawl takes it for one that asks to log in. */
  mayAskToLogIn(url: string): boolean {
    return (this.#ends.get(url)?.size ?? 0) > 2;
  }

  answer(url: string, cookie: string | undefined): Answer {
    const page = { links: this.#links.get(url.slice(SITE.length)) ?? [], title: `Page ${url}` };
    // The model of the mirror reads a stored page by the same function.
    if (cookie === undefined) return page;
    this.strangers.delete(url);
    if (cookie === `sid=${this.#token}` && this.#left > 0) {
      this.#left -= 1;
      return page;
    }
    this.strangers.add(url);
    this.#ends.set(url, (this.#ends.get(url) ?? new Set()).add(this.#token));
    const kind = this.#random.oneOf(STRANGERS);
    if (kind === "401") return { status: 401 };
    if (kind === "redirect") return { redirect: `${SITE}login?next=${encodeURIComponent(url)}` };
    return { links: [`${SITE}forgot`], title: "Log in", body: "log in" };
  }
}

/** Returns how often the crawl paused. */
async function runWorld(seed: number): Promise<number> {
  const random = new Random(seed);
  const paths = Array.from({ length: random.between(8, 30) }, (_, i) => `p${i}`);
  const members = new Members(random, paths);
  const killed = () => {
    if (random.chance(0.2)) throw new Error("killed");
  };
  const world = new World((url, _, cookie) => members.answer(url, cookie), {
    beforeCommit: killed,
    afterCommit: killed,
    copies: () => (random.chance(0.2) ? 2 : 1),
    maxRetries: 1_000,
  });
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets, ...rest) => {
    const result = await fetchPage(request, secrets, ...rest);
    if (result.kind !== "page") return result;
    const isOut = members.strangers.has(request.url);
    return { ...result, signedIn: { marked: !isOut, asks: isOut ? ("password" as const) : null } };
  };
  const facts = { name: `members-${seed}`, hosts: ["members.test"], headers: 0, cookies: 1, temporary: false };
  const bring = () => world.deps.sessions.bring({ ...facts, signedIn: "a.log-out" }, members.logIn(), world.now);
  await bring();
  const id = await world.start([SITE], { session: facts.name });
  let pauses = 0;
  for (let turn = 0; turn < 4_000; turn++) {
    const state = await world.deps.ledger.crawl(id);
    if (state?.status === "paused") {
      pauses += 1;
      expect(state.waitingFor).toContain("signed-out");
      await bring();
      await resumeCrawl(id, world.deps);
    } else if (state?.status !== "running") break;
    await world.turn().catch((error: Error) => {
      if (error.message !== "killed") throw error;
    });
  }
  const { results } = await env.LEDGER.prepare(
    "SELECT url, status, reason, title FROM urls WHERE crawl = ?1 ORDER BY url",
  )
    .bind(id)
    .all();
  const whole = ["", ...paths].map((path) => SITE + path).toSorted();
  expect(
    results.map(({ url }) => url),
    `world ${seed}`,
  ).toEqual(whole);
  const lost = results.filter(({ status, reason, url, title }) => {
    const isThere = status === "completed" && reason === null && title === `Page ${url}`;
    return !isThere && !(reason === "log-in" && members.mayAskToLogIn(String(url)));
  });
  expect(lost, `world ${seed}`).toEqual([]);
  await expectCountersExact(id);
  return pauses;
}

test("sessions that end are brought again: each page is there once, and none of the log-in, whatever is killed", async () => {
  const runs = Math.max(3, Math.ceil(RUNS / 10));
  let pauses = 0;
  for (let run = 0; run < runs; run++) pauses += await runWorld(FIRST_SEED + run);
  // Most sites have more pages than a session.
  expect(pauses).toBeGreaterThan(runs / 2);
});
