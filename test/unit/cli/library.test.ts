import { describe, expect, test } from "vitest";
import { interfaceOf } from "../../../scripts/schema-types.ts";
import type { CrawlDetail, FinishedPage } from "../../../src/api/views.ts";
import { RefusedRequest, Unreachable, UserError } from "../../../src/cli/errors.ts";
import type { Client } from "../../../src/cli/installation/client.ts";
import { toLibraryError } from "../../../src/cli/library/library-error.ts";
import type { CrawlOptions } from "../../../src/cli/library/library-types.ts";
import { ReaderLag } from "../../../src/cli/library/reader-lag.ts";
import { startRun, toRequest } from "../../../src/cli/library/start-run.ts";
import { followFinished } from "../../../src/cli/output/follow-finished.ts";

/** The parts of the library that need no installation. */

describe("the request", () => {
  test("has the seeds, the defaults of the command line, and Markdown", () => {
    const own = { state: "s", token: "t", records: "all", resume: true, signal: new AbortController().signal } as const;
    const request = toRequest("example.com", { ...own, depth: 2, userAgent: undefined });
    expect(request).toMatchObject({ urls: ["https://example.com"], limit: 1_000, formats: ["markdown"], depth: 2 });
    for (const name of [...Object.keys(own), "userAgent"]) expect(request).not.toHaveProperty(name);
    expect(toRequest(["http://a.test/"], { limit: 5, formats: [] })).toMatchObject({ limit: 5, formats: [] });
  });

  test.each([
    [[], {}, "urls"],
    ["a.test", { records: "some" }, "records"],
    ["a.test", { resume: true }, "resume"],
    ["a.test", { signal: {} }, "signal"],
    ["a.test", { watch: { everyS: 60 } }, "watch"],
  ])("%j with %j names the option %s", (urls, options, option) => {
    expect(() => toRequest(urls, options as CrawlOptions)).toThrow(
      expect.objectContaining({ name: "OrbweaverError", code: "invalid-option", option }),
    );
  });
});

test.each([
  [new RefusedRequest("--limit: no", 400, [{ message: "limit: no", path: "limit" }]), "invalid-option", "limit"],
  [new RefusedRequest("x", 401, [{ message: "The token is wrong." }]), "unauthorized", null],
  [new RefusedRequest("x", 404, [{ message: "There is none." }]), "not-found", null],
  [new RefusedRequest("An internal error. Logs: l", 500, [{ message: "x" }]), "failed", null],
  [new Unreachable("it does not answer"), "unreachable", null],
  [new UserError("Choose another folder with --state DIR."), "failed", null],
])("%s is an error for programs", (error, code, option) => {
  const made = toLibraryError(error);
  expect(made).toMatchObject({ name: "OrbweaverError", code, option });
  expect(String(made)).not.toContain("--");
});

test("an error of the program's own stays what it is", () => {
  const error = new TypeError("x");
  expect(toLibraryError(error)).toBe(error);
});

describe("resuming", () => {
  const crawls = [
    { id: "ended", status: "completed", urls: ["https://a.test/"] },
    { id: "other", status: "paused", urls: ["https://a.test/", "https://b.test/"] },
    { id: "open", status: "paused", urls: ["https://a.test/"] },
  ];
  const resume = async (urls: string[], how: boolean | string) => {
    const acts: string[] = [];
    const client = {
      crawls: async () => crawls,
      crawl: async (id: string) => crawls.find((crawl) => crawl.id === id),
      act: async (id: string, action: string) => void acts.push(`${action} ${id}`),
      start: async () => ({ id: "new" }),
    } as unknown as Client;
    return [await startRun({ urls }, { resume: how }, { client }), ...acts];
  };

  test("takes the newest open crawl of the same seeds, or starts one", async () => {
    expect(await resume(["https://a.test"], true)).toEqual(["open", "resume open"]);
    expect(await resume(["https://b.test/", "https://a.test/#x"], true)).toEqual(["other", "resume other"]);
    expect(await resume(["https://c.test/"], true)).toEqual(["new"]);
    expect(await resume(["https://a.test/"], false)).toEqual(["new"]);
  });

  test("by an id takes this crawl, and only reads one that has ended", async () => {
    expect(await resume(["https://a.test/"], "ended")).toEqual(["ended"]);
    expect(await resume(["https://c.test/"], "open")).toEqual(["open", "resume open"]);
  });
});

describe("a reader who is far behind", () => {
  function lagging(most: number) {
    const crawl = { status: "running", counts: { completed: 0 }, assets: { completed: 0 } };
    const acts: string[] = [];
    const act = async (_: string, action: string) => {
      acts.push(action);
      crawl.status = action === "pause" ? "paused" : "running";
      return crawl as never;
    };
    const lag = new ReaderLag("id", { crawl: async () => crawl as unknown as CrawlDetail, act }, most);
    const read = (pages: number) => {
      for (let i = 0; i < pages; i++) lag.countPage({ status: "completed", asset: false });
    };
    return { lag, crawl, acts, read };
  }

  test("holds the crawl until half of it is read", async () => {
    const { lag, crawl, acts, read } = lagging(10);
    crawl.counts.completed = 10;
    await lag.look();
    expect(acts).toEqual([]);
    crawl.counts.completed = 11;
    await Promise.all([lag.look(), lag.look()]);
    expect([acts, lag.isHolding]).toEqual([["pause"], true]);
    read(5);
    lag.countPage({ status: "errored", asset: false });
    await lag.look();
    expect(acts).toEqual(["pause"]);
    read(1);
    await lag.look();
    expect([acts, lag.isHolding]).toEqual([["pause", "resume"], false]);
  });

  test("lets the crawl go when all is read, unless it has ended, and leaves a pause of others alone", async () => {
    const { lag, crawl, acts } = lagging(1);
    crawl.counts.completed = 5;
    crawl.status = "paused";
    await lag.look();
    await lag.release();
    expect(acts).toEqual([]);
    crawl.status = "running";
    await lag.look();
    await lag.release();
    expect(acts).toEqual(["pause", "resume"]);
    await lag.look();
    crawl.status = "cancelled_by_user";
    await lag.release();
    expect(acts).toEqual(["pause", "resume", "pause"]);
  });
});

test("records are asked for as they are read, and a wait comes only where nothing else has finished", async () => {
  const answers: [urls: string[], follows: FinishedPage["follows"]][] = [
    [["a", "b"], "more"],
    [[], "later"],
    [[], "later"],
    [["c"], "later"],
    [[], "nothing"],
  ];
  const asked: string[] = [];
  const waits: number[] = [];
  const client = {
    finished: async (_: string, { cursor }: { cursor: string }) => {
      const [urls = [], follows = "nothing"] = answers[asked.push(cursor) - 1] ?? [];
      return { records: urls.map((url) => ({ url })), cursor: String(asked.length), follows };
    },
  } as unknown as Client;
  const wait = async (ms: number) => waits.push(ms) > 0;
  const read: string[] = [];
  for await (const { url } of followFinished("id", client, {}, wait)) {
    read.push(url);
    expect(asked.length).toBe(url === "c" ? 4 : 1);
  }
  expect([read, asked]).toEqual([
    ["a", "b", "c"],
    ["", "1", "2", "3", "4"],
  ]);
  expect(waits).toEqual([500, 1_000, 250]);
});

test("a schema is written as TypeScript", () => {
  const schema = {
    type: "object",
    description: "A thing.",
    properties: {
      "a-b": { type: ["string", "null"] },
      list: { type: "array", items: { enum: ["x", 1] }, default: [], description: "Ends */ here." },
      map: { type: "object", additionalProperties: { type: "integer" } },
      other: { anyOf: [{ $ref: "#/components/schemas/Other" }, { type: "null" }] },
    },
    required: ["a-b"],
  } as const;
  expect(interfaceOf("Thing", schema as never, true)).toBe(`/** A thing. */
export interface Thing {
  "a-b": string | null;
  /** Ends * / here. Default: \`[]\`. */
  list?: readonly ("x" | 1)[] | undefined;
  map?: Record<string, number> | undefined;
  other?: Other | null | undefined;
}
`);
});
