import { env } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { limitedDatabase } from "./limited-database.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { settled } from "./rows.ts";
import { type Answer, type Web, World, type WorldOptions } from "./world.ts";

/** Cookies in a chain of redirects: what a site sets goes back to it, and a URL that waits for one is asked again. */

useModelLedger();

const SEED = "https://a.test/";
const gate = `${SEED}gate`;

interface Run {
  crawl: string;
  /** Status, reason and title of each URL. */
  ends: Record<string, string>;
  /** Each request, with its Cookie header. */
  asked: string[];
  world: World;
}

async function run(web: Web, options: object = {}, worldOptions: WorldOptions = {}): Promise<Run> {
  const asked: string[] = [];
  const world = new World((url, attempt, cookie) => {
    asked.push(cookie === undefined ? url : `${url} ${cookie}`);
    return web(url, attempt, cookie);
  }, worldOptions);
  const crawl = await world.start([SEED], { source: "links", ...options });
  await world.runToEnd(crawl);
  await expectCountersExact(crawl);
  const { results } = await env.LEDGER.prepare("SELECT url, status, reason FROM urls WHERE crawl = ?1 ORDER BY url")
    .bind(crawl)
    .all<{ url: string; status: string; reason: string | null }>();
  const ends = Object.fromEntries(results.map(({ url, status, reason }) => [url, reason ?? status]));
  return { crawl, ends, asked, world };
}

const PAGE: Answer = { links: [] };
const sets = (redirect: string, ...setCookies: string[]): Answer => ({ redirect, setCookies });

describe("a URL that sets a cookie and leads to itself", () => {
  const web: Web = (_, __, cookie) => (cookie === "seen=1" ? PAGE : sets(SEED, "seen=1; Path=/"));

  test("is asked again with the cookie", async () => {
    const { ends, asked } = await run(web);
    expect(ends).toEqual({ [SEED]: "completed" });
    expect(asked).toEqual([SEED, `${SEED} seen=1`]);
  });

  test("is a loop if it sets nothing, or nothing that is sent back", async () => {
    for (const setCookies of [[], ["seen=1; Path=/other"], ["seen=1; Max-Age=0"]]) {
      const { ends, asked } = await run(() => sets(SEED, ...setCookies));
      expect([ends, asked]).toEqual([{ [SEED]: "redirect-loop" }, [SEED]]);
    }
  });

  test("is a loop once its cookies stay the same", async () => {
    const { ends, asked } = await run(() => sets(SEED, "seen=1"));
    expect([ends, asked]).toEqual([{ [SEED]: "redirect-loop" }, [SEED, `${SEED} seen=1`]]);
  });

  test("ends at maxRedirects if it sets another one each time", async () => {
    const { ends, asked } = await run((_, attempt) => sets(SEED, `n=${attempt}`), { maxRedirects: 3 });
    expect(ends).toEqual({ [SEED]: "too-many-redirects" });
    expect(asked).toEqual([SEED, `${SEED} n=0`, `${SEED} n=1`, `${SEED} n=2`]);
  });
});

describe("a chain that leads back", () => {
  const viaGate =
    (...hops: string[]): Web =>
    (url, _, cookie) => {
      if (cookie?.includes("pass=1")) return PAGE;
      const at = hops.indexOf(url);
      return at < hops.length - 1 ? sets(hops[at + 1] ?? "") : sets(SEED, "pass=1; Path=/");
    };

  test.each([
    ["one hop", [SEED, gate]],
    ["three hops", [SEED, gate, `${gate}/2`, `${gate}/3`]],
  ])("by %s with a new cookie is asked again, once", async (_, hops) => {
    const { ends, asked } = await run(viaGate(...hops));
    const redirects = hops.slice(1).map((url) => [url, "redirected"]);
    expect(ends).toEqual({ [SEED]: "completed", ...Object.fromEntries(redirects) });
    expect(asked).toEqual([...hops, `${SEED} pass=1`]);
  });

  test("by another host sends each host its own cookies", async () => {
    const other = "https://b.test/login";
    const { asked } = await run((url, attempt) => {
      if (url === other) return sets(SEED, "theirs=1; Domain=a.test");
      return attempt === 0 ? sets(other, "ours=1") : PAGE;
    });
    expect(asked).toEqual([SEED, other, `${SEED} ours=1`]);
  });

  test("without a new cookie is not asked again", async () => {
    const { ends, asked } = await run((url) => sets(url === SEED ? gate : SEED));
    expect([ends, asked]).toEqual([{ [SEED]: "redirected", [gate]: "redirected" }, [SEED, gate]]);
  });

  test("to the page that links to it is none, and is not asked again", async () => {
    const [page, hop] = [`${SEED}page`, `${SEED}hop`];
    const { ends, asked } = await run((url) => {
      if (url === SEED) return { links: [page] };
      return url === page ? sets(hop) : sets(SEED, "pass=1; Path=/");
    });
    expect(ends).toEqual({ [SEED]: "completed", [page]: "redirected", [hop]: "redirected" });
    expect(asked).toEqual([SEED, page, hop]);
  });

  test("that never lets us in ends", async () => {
    const { ends, asked } = await run((url) => sets(url === SEED ? gate : SEED, "pass=1; Path=/"));
    expect(ends).toEqual({ [SEED]: "redirected", [gate]: "redirected" });
    expect(asked).toEqual([SEED, `${gate} pass=1`, `${SEED} pass=1`]);
  });

  test("does the same whatever happens to messages and commits", async () => {
    let calls = 0;
    const fails = (every: number) => () => {
      if (++calls % every === 0) throw new Error("D1 is away");
    };
    const { ends } = await run(
      viaGate(SEED, gate),
      { maxAttempts: 20, store: "warc" },
      { maxRetries: 1_000, copies: () => (calls % 2) + 1, beforeCommit: fails(3), afterCommit: fails(5) },
    );
    expect(ends).toEqual({ [SEED]: "completed", [gate]: "redirected" });
  });
});

test("cookies of a chain go to no page that it does not lead to", async () => {
  const { asked } = await run((url) => {
    if (url === SEED) return { links: [`${SEED}old`, `${SEED}free`] };
    return url === `${SEED}old` ? sets(`${SEED}new`, "a=1; Path=/") : PAGE;
  });
  expect(asked.toSorted()).toEqual([SEED, `${SEED}free`, `${SEED}new a=1`, `${SEED}old`]);
});

test("redirects with large jars, too many for one parameter of D1, are asked again together", async () => {
  const world = new World(() => PAGE);
  const urls = Array.from({ length: 25 }, (_, i) => `${SEED}${i}`);
  const crawl = await world.start(urls, { source: "links" });
  const redirected = { status: "skipped", reason: "redirected", fetchedAt: 5 } as const;
  const cookies = JSON.stringify([{ value: "x".repeat(100_000) }]);
  const commit = {
    ...emptyCommit(crawl),
    outcomes: urls.map((url) => settled(url, redirected)),
    askAgain: urls.map((url) => ({ url, page: url, fetchedAt: 5, redirects: 1, cookies })),
  };
  await new Ledger(limitedDatabase(env.LEDGER)).commit([commit], world.now);
  await expectCountersExact(crawl);
  expect((await world.deps.ledger.crawl(crawl))?.counters).toMatchObject({ queued: 25, skipped: 0 });
});

test("a crawl that was cancelled meanwhile asks nothing again", async () => {
  const world = new World((_, __, cookie) => (cookie === undefined ? sets(SEED, "a=1") : PAGE), {
    beforeCommit: async (commits) => {
      for (const { crawl } of commits) await world.deps.ledger.cancel(crawl, "cancelled_by_user", world.now);
    },
  });
  const crawl = await world.start([SEED], { source: "links" });
  await world.turn();
  await world.deps.ledger.retireOpen(crawl, world.now);
  await expectCountersExact(crawl);
  expect(world.fetched).toEqual([SEED]);
});

describe("a crawl that keeps cookies", () => {
  /** Each page sets a cookie of its own and links to the next. */
  const web: Web = (url) => {
    const n = Number(new URL(url).pathname.slice(1)) || 0;
    const next = n < 3 ? [`${SEED}${n + 1}`] : [];
    return { links: [...next, "https://b.test/"], setCookies: [`n${n}=1; Path=/; Domain=test`] };
  };
  const options = { keepCookies: true, includeExternalLinks: true, formats: [] };

  test("sends them to the host that set them, from batch to batch", async () => {
    const { asked } = await run(web, options);
    expect(asked.filter((request) => request.startsWith(SEED))).toEqual([
      SEED,
      `${SEED}1 n0=1`,
      `${SEED}2 n0=1; n1=1`,
      `${SEED}3 n0=1; n1=1; n2=1`,
    ]);
    expect(asked.filter((request) => !request.startsWith(SEED))).toEqual(["https://b.test/"]);
  });

  test("shares them with no other crawl, and no crawl keeps them unasked", async () => {
    const { crawl, world } = await run(web, options);
    const { asked } = await run(web, options);
    expect(asked[0]).toBe(SEED);
    const unasked = await run(web);
    expect(unasked.asked).toEqual([SEED, `${SEED}1`, `${SEED}2`, `${SEED}3`]);
    const jars = await world.deps.cookies.read([crawl, unasked.crawl], "a.test");
    expect([...jars.keys()]).toEqual([crawl]);
  });

  test("sends them within one lane, and beside those of a chain of redirects", async () => {
    const { asked } = await run((url, _, cookie) => {
      if (url === SEED) return { links: [`${SEED}1`, `${SEED}2`], setCookies: ["kept=1; Path=/", "both=old; Path=/"] };
      if (url === `${SEED}1`) return { links: [], setCookies: ["lane=1; Path=/"] };
      return cookie?.includes("both=new") ? PAGE : sets(`${SEED}2`, "both=new; Path=/");
    }, options);
    expect(asked).toEqual([
      SEED,
      `${SEED}1 kept=1; both=old`,
      `${SEED}2 kept=1; both=old; lane=1`,
      `${SEED}2 kept=1; both=new; lane=1`,
    ]);
  });

  test("sends none that the host has replaced or removed since a chain of redirects set it", async () => {
    const { asked } = await run((url) => {
      if (url === SEED) return { links: [`${SEED}old`, `${SEED}set`] };
      if (url === `${SEED}old`) return sets(`${SEED}new`, "a=old; Path=/", "b=1; Path=/");
      return url === `${SEED}set` ? { links: [], setCookies: ["a=new; Path=/", "b=; Path=/; Max-Age=0"] } : PAGE;
    }, options);
    expect(asked).toEqual([SEED, `${SEED}old`, `${SEED}set a=old; b=1`, `${SEED}new a=new`]);
  });

  test("a batch that ends after a deletion began keeps none", async () => {
    const { crawl, world } = await run(web, options);
    await world.deps.deletions.mark(crawl, true, world.now);
    await world.deps.cookies.write(crawl, "late.test", "[]");
    expect(await world.deps.cookies.read([crawl], "late.test")).toEqual(new Map());
  });
});

test("a crawl that keeps cookies sends them to the random sibling of a page that looks missing", async () => {
  const web: Web = (url) =>
    url === SEED ? { links: [`${SEED}gone`], setCookies: ["a=1"] } : { links: [], missing: true };
  const { asked, ends } = await run(web, { keepCookies: true });
  expect(asked.filter((request) => request.includes("no-such-page"))).toEqual([expect.stringMatching(/ a=1$/)]);
  expect(ends[`${SEED}gone`]).toBe("soft-404");
});
