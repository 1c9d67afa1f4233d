import { expect } from "vitest";
import type { DeltaPlace } from "../../src/crawl/watch/delta.ts";
import { emptyMetadata } from "../../src/media/text/plain-content.ts";
import { chunksOfPage } from "../../src/reading/exports/chunk-delta.ts";
import { exportDelta } from "../../src/reading/exports/export-delta.ts";
import { Random } from "./platform/random.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";

/** A vector index that follows a watch by its deltas of chunks. */

const SIZE = 64;
const text = (section: string, version: number) => `${section} ${version} ${"word ".repeat(55).trim()}`;

/** A page of sections, each with a text that is a chunk of its own. */
export function pageOf(
  sections: readonly (readonly [name: string, version: number])[],
  links: string[] = [],
): SiteAnswer {
  return { text: sections.map(([name, version]) => `# ${name} / ${text(name, version)}`).join(" / "), links };
}

export class Index {
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

export function worldOf(site: (url: string) => SiteAnswer): WatchedWorld {
  const world = new WatchedWorld(site);
  world.deps.readContent = async ({ body }) => {
    const markdown = (new TextDecoder().decode(body).split("\n")[0] ?? "").split(" / ").join("\n\n");
    return new TextEncoder().encode(JSON.stringify({ metadata: emptyMetadata(), markdown }));
  };
  return world;
}

/** An index that follows has the chunks of a full export, whatever happens meanwhile. `seed`: of what happens. */
export async function expectWholeIndex(seed: number): Promise<void> {
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
}
