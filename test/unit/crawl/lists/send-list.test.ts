import { expect, test } from "vitest";
import { RefusedRequest } from "../../../../src/cli/errors.ts";
import { listDefaults } from "../../../../src/crawl/lists/list-defaults.ts";
import { startList } from "../../../../src/crawl/lists/send-list.ts";

/** An installation that takes lists, refuses private hosts, and notes what it gets. */
function installation() {
  const names: (string | undefined)[] = [];
  const portions: { urls: readonly string[]; isLast: boolean }[] = [];
  const why = (url: string) => (url.includes("//10.") ? `${url} is private` : null);
  return {
    names,
    portions,
    async start(body: Record<string, unknown>, list?: string) {
      names.push(list);
      const message = why((body.urls as string[])[0] ?? "");
      const mistakes = [{ code: "private-address", message: message ?? "", path: "urls.0" }];
      if (message !== null) throw new RefusedRequest(message, 400, mistakes);
      return { id: "id" };
    },
    mistakesOf: (error: unknown) => (error instanceof RefusedRequest ? error.mistakes : null),
    async addSeeds(_: string, urls: readonly string[], isLast: boolean) {
      portions.push({ urls, isLast });
      const refused = urls.flatMap((url, index) => {
        const message = why(url);
        return message === null ? [] : [{ index, code: "private-address", message }];
      });
      return { added: urls.length, known: 0, refused, total: 0, beyondLimit: 0 };
    },
  };
}

const seedsOf = (urls: string[]) => urls.map((url, i) => ({ url, place: `line ${i + 1}` }));

test("a list goes in portions that a request takes, in order, each seed once, and the end last", async () => {
  const urls = Array.from({ length: 12_000 }, (_, i) => `https://a.test/${i}${"x".repeat(i % 300)}`);
  const client = installation();
  await startList({ limit: 5 }, seedsOf(urls), client);
  expect(client.portions.flatMap((portion) => portion.urls)).toEqual(urls);
  for (const portion of client.portions) {
    expect(portion.urls.length).toBeLessThanOrEqual(10_000);
    expect(JSON.stringify(portion).length).toBeLessThan(1_000_000);
  }
  expect(client.portions.map(({ isLast }) => isLast)).toEqual([...client.portions.slice(1).map(() => false), true]);
});

test("the same list with the same options has the same name, and another has another", async () => {
  const nameOf = async (request: object, urls: string[]) => {
    const client = installation();
    await startList({ ...request }, seedsOf(urls), client);
    return client.names[0];
  };
  const name = await nameOf({ limit: 5 }, ["https://a.test/"]);
  expect(await nameOf({ limit: 5 }, ["https://a.test/"])).toBe(name);
  expect(await nameOf({ limit: 6 }, ["https://a.test/"])).not.toBe(name);
  expect(await nameOf({ limit: 5 }, ["https://b.test/"])).not.toBe(name);
});

test("what the installation refuses is named by its place, the first ones too, and the rest is sent", async () => {
  const client = installation();
  const seeds = seedsOf(["http://10.0.0.1/", "http://10.0.0.2/", "https://a.test/", "http://10.0.0.3/"]);
  const { refused } = await startList({}, seeds, client);
  expect(refused.map(({ place }) => place)).toEqual(["line 1", "line 2", "line 4"]);
  expect(client.portions.at(-1)).toEqual({ urls: [], isLast: true });
  const whole = installation();
  await startList({}, seeds.slice(2), whole, { isWhole: true });
  expect(whole.portions.some(({ isLast }) => isLast)).toBe(false);
  await expect(startList({}, seeds.slice(0, 2), installation())).rejects.toThrow("is private");
});

test.each([
  [5_000, { depth: 0 }, { limit: 5_000, depth: 0, source: "links" }],
  [5_000, { depth: 2 }, { limit: 6_000, depth: 2 }],
  [5_000, {}, { limit: 6_000 }],
  [5_000, { depth: 0, limit: 3, source: "all" }, { depth: 0, limit: 3, source: "all" }],
])("%d seeds with %o", (seeds, chosen, defaults) => {
  expect(listDefaults(seeds, chosen)).toEqual(defaults);
});
