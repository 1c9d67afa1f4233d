import { expect, test } from "vitest";
import type { DeltaPlace } from "../../src/crawl/watch/delta.ts";
import { emptyMetadata } from "../../src/media/text/plain-content.ts";
import { chunksOfPage } from "../../src/reading/exports/chunk-delta.ts";
import { exportDelta } from "../../src/reading/exports/export-delta.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { Random } from "./platform/random.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";

/** Deltas of chunks: what became of them since a cursor, for a vector index that follows a watch. */

useModelLedger();

const SIZE = 64;
const text = (section: string, version: number) => `${section} ${version} ${"word ".repeat(55).trim()}`;

/** A page of sections, each with a text that is a chunk of its own. */
function pageOf(sections: readonly (readonly [name: string, version: number])[], links: string[] = []): SiteAnswer {
  return { text: sections.map(([name, version]) => `# ${name} / ${text(name, version)}`).join(" / "), links };
}

class Index {
  readonly chunks = new Map<string, { url: string; text: string }>();
  cursor: number | null = null;
  lines: string[] = [];

  /** Reads a delta in its parts; `between` runs after each page. */
  async follow(world: WatchedWorld, id: string, between: () => Promise<unknown> = async () => null): Promise<void> {
    this.lines = [];
    let place: Pick<DeltaPlace, "until" | "after"> | null = null;
    const since = this.cursor;
    const deps = { ...world.deps, template: null, chunkTokens: SIZE };
    for (;;) {
      const crawl = await world.crawl(id);
      const part = await exportDelta(crawl, { since, place, formats: ["chunks"], of: "chunks" }, deps);
      for await (const page of part.records) {
        this.apply(await chunksOfPage(crawl, page, since === null, deps));
        await between();
      }
      if (part.next === null) {
        this.cursor = part.until;
        return;
      }
      place = part.next;
    }
  }

  apply({ record: { url }, changes, isCleared, problem }: Awaited<ReturnType<typeof chunksOfPage>>): void {
    expect(problem).toBeNull();
    if (isCleared) this.lines.push(`cleared ${new URL(url).pathname}`);
    if (isCleared) for (const [id, chunk] of this.chunks) if (chunk.url === url) this.chunks.delete(id);
    for (const each of changes) {
      const old = each.change === "removed" ? each.id : each.change === "changed" ? each.was : null;
      const before = this.chunks
        .get(old ?? "")
        ?.text.split(" ")
        .slice(0, 4)
        .join(" ")
        .replace(/^# \w+\n\n/, "");
      if (old !== null) this.chunks.delete(old);
      if (each.change !== "removed") this.chunks.set(each.chunk.id, { url, text: each.chunk.text });
      const now =
        each.change === "removed"
          ? ""
          : each.chunk.text
              .replace(/^# \w+\n\n/, "")
              .split(" ")
              .slice(0, 2)
              .join(" ");
      this.lines.push(
        `${each.change} ${before === undefined ? "" : `${before.split(" ").slice(0, 2).join(" ")} > `}${now}`,
      );
    }
  }

  get content(): string[] {
    return [...this.chunks].map(([id, { url, text }]) => `${url} ${id} ${text}`).sort();
  }
}

function worldOf(site: (url: string) => SiteAnswer): WatchedWorld {
  const world = new WatchedWorld(site);
  world.deps.readContent = async ({ body }) => {
    const markdown = (new TextDecoder().decode(body).split("\n")[0] ?? "").split(" / ").join("\n\n");
    return new TextEncoder().encode(JSON.stringify({ metadata: emptyMetadata(), markdown }));
  };
  return world;
}

test("a delta has the chunks that were added, changed and removed, and no others", async () => {
  let page = pageOf([
    ["Oil", 1],
    ["Belt", 1],
    ["Chuck", 1],
  ]);
  const world = worldOf(() => page);
  const id = await world.watch(DAY_MS);
  const index = new Index();
  await index.follow(world, id);
  expect(index.lines).toEqual(["added Oil 1", "added Belt 1", "added Chuck 1"]);
  await index.follow(world, id);
  expect(index.lines).toEqual([]);
  page = pageOf([
    ["Oil", 1],
    ["Belt", 2],
    ["Lamp", 1],
  ]);
  await world.pass(1.5 * DAY_MS, 2 * HOUR_MS);
  await index.follow(world, id);
  expect(index.lines).toEqual(["changed Belt 1 > Belt 2", "added Lamp 1", "removed Chuck 1 > "]);
});

test("a page that is gone takes its chunks along, and one that comes back brings them", async () => {
  let page: SiteAnswer = pageOf([["Oil", 1]]);
  const world = worldOf((url) => (url === SEED ? { text: "Home / of it", links: [`${SEED}a`] } : page));
  const id = await world.watch(DAY_MS);
  const index = new Index();
  await index.follow(world, id);
  const all = index.content;
  page = { status: 410 };
  await world.pass(4 * DAY_MS, 2 * HOUR_MS);
  await index.follow(world, id);
  expect(index.lines).toEqual(["removed Oil 1 > "]);
  page = pageOf([["Oil", 1]]);
  await world.pass(4 * DAY_MS, 2 * HOUR_MS);
  await index.follow(world, id);
  expect(index.content).toEqual(all);
});

test("if the version that the index has is no longer kept, the page is cleared first", async () => {
  let page = pageOf([
    ["Oil", 1],
    ["Belt", 1],
  ]);
  const world = worldOf(() => page);
  const id = await world.watch(DAY_MS);
  const index = new Index();
  await index.follow(world, id);
  page = pageOf([
    ["Oil", 1],
    ["Belt", 2],
  ]);
  await world.pass(1.5 * DAY_MS, 2 * HOUR_MS);
  await world.deps.oldVersions.removeOld(id, { url: "", fetchedAt: 0 }, world.now + DAY_MS, 100);
  await index.follow(world, id);
  expect(index.lines).toEqual(["cleared /", "added Oil 1", "added Belt 2"]);
});

test("an index forgets what it read of a version that came while it was exported", async () => {
  const paths = ["a", "b", "c", "d", "e", "f", "g"];
  let last = 1;
  const world = worldOf((url) =>
    url === SEED
      ? { text: "Home / of it", links: paths.map((path) => SEED + path) }
      : pageOf([[`Oil${url.slice(-1)}`, url.endsWith("g") ? last : 1]]),
  );
  const id = await world.watch(DAY_MS);
  const change = async () => {
    last += 1;
    await world.pass(1.5 * DAY_MS, 3 * HOUR_MS);
  };
  const index = new Index();
  // Pages are read a few at a time, so the last one is read after its change, which the cursor does not have.
  await index.follow(world, id, async () => (last === 1 ? change() : null));
  expect(index.lines.at(-1)).toBe("added Oilg 2");
  await change();
  await index.follow(world, id);
  const full = new Index();
  await full.follow(world, id);
  expect(index.content).toEqual(full.content);
});

test.each([1, 2])(
  "an index that follows has the chunks of a full export, whatever happens meanwhile: run %i",
  async (seed) => {
    const random = new Random(seed);
    const paths = ["", "a", "b", "c", "d"];
    const versions = new Map<string, [string, number][] | null>();
    for (const path of paths)
      versions.set(`${SEED}${path}`, [
        ["Oil", 1],
        ["Belt", 1],
      ]);
    const site = (url: string): SiteAnswer => {
      const sections = versions.get(url) ?? null;
      return sections === null
        ? { status: 410 }
        : pageOf(
            sections,
            paths.map((path) => `${SEED}${path}`),
          );
    };
    const world = worldOf(site);
    const id = await world.watch(DAY_MS);
    const change = () => {
      for (const path of paths) {
        if (!random.chance(0.5)) continue;
        const names = ["Oil", "Belt", "Chuck"].filter(() => random.chance(0.7));
        const isGone = path !== "" && random.chance(0.2);
        versions.set(
          `${SEED}${path}`,
          isGone || names.length === 0 ? null : names.map((name) => [name, random.between(1, 9)]),
        );
      }
      versions.set(SEED, versions.get(SEED) ?? [["Oil", random.between(1, 9)]]);
    };
    const live = async () => {
      change();
      await world.pass(1.5 * DAY_MS, 3 * HOUR_MS);
    };
    const [eager, lazy] = [new Index(), new Index()];
    for (let round = 0; round < 6; round++) {
      await eager.follow(world, id, async () => (random.chance(0.15) ? live() : null));
      if (round % 3 === 0) await lazy.follow(world, id);
      await live();
    }
    const full = new Index();
    await full.follow(world, id);
    for (const index of [eager, lazy]) {
      await index.follow(world, id);
      await index.follow(world, id);
      expect(index.content).toEqual(full.content);
    }
  },
);
