import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import type * as z from "zod";
import { writeParts } from "../../../scripts/command-docs.ts";
import { cloudflareRequest } from "../../../src/api/cloudflare/cloudflare-schemas.ts";
import { crawlRequest } from "../../../src/api/crawls/crawl-request.ts";
import { fullSchemaOf, type JsonSchema } from "../../../src/api/exports/json-schema.ts";
import { batchRequest, crawlRequestV2 } from "../../../src/api/firecrawl/requests/firecrawl-requests.ts";
import { WRITING_TOOLS } from "../../../src/api/mcp/writing-tools.ts";
import { crawlOptions, toRequest } from "../../../src/cli/flags/crawl-flags.ts";
import { DEFAULT_OPTIONS } from "../../../src/crawl/crawl-options.ts";
import { OPTION_ROWS, OPTIONS } from "../../../src/crawl/options/option-table.ts";

const schemaAt = (schema: z.ZodType, path: string): JsonSchema | undefined =>
  path.split(".").reduce<JsonSchema | undefined>(
    (at, name) => {
      const object = at?.properties === undefined ? (at?.anyOf?.[0] as JsonSchema | undefined) : at;
      return object?.properties?.[name] as JsonSchema | undefined;
    },
    fullSchemaOf(schema, "input"),
  );

/** The options that a request has and a flag has not: seeds are arguments, and the rest is part of another flag. */
const WITHOUT_FLAG = [
  ...["url", "urls", "likeTexts", "renderOptions.viewport.width", "renderOptions.viewport.height"],
  // `--every` has it, with a pattern.
  "watch.everyFor",
];

test("every option has a flag, and no two have the same", () => {
  expect(OPTION_ROWS.flatMap(([path, { flag }]) => (flag === null ? [path] : []))).toEqual(WITHOUT_FLAG);
  const names = OPTION_ROWS.flatMap(([, { flag }]) => (flag === null ? [] : [flag.replace(/ .*/, "")]));
  expect(new Set(names).size).toBe(names.length);
});

test("bounds and defaults of the API are those of the table", () => {
  for (const [path, row] of OPTION_ROWS) {
    const schema = schemaAt(crawlRequest, path);
    expect(schema?.description, path).toContain(row.sentence.slice(0, 10));
    if (row.min !== undefined) expect([schema?.minimum, schema?.maximum], path).toEqual([row.min, row.max]);
    const isOpen = row.otherwise !== undefined || row.required === true || row.kind === "rules";
    expect(schema?.default, path).toEqual(isOpen ? undefined : row.default);
  }
});

test("a crawl of an earlier version gets the values of its time", () => {
  expect(DEFAULT_OPTIONS).toMatchObject({
    documents: [],
    store: "files",
    watch: null,
    webhook: null,
    maxQueued: 100_000,
  });
  expect(DEFAULT_OPTIONS.politeness.delayFactor).toBe(OPTIONS["politeness.delayFactor"].default);
  expect(Object.keys(DEFAULT_OPTIONS)).not.toEqual(expect.arrayContaining(["url"]));
});

test.each([
  ["--max-delay 90 --delay-factor 0.5", { politeness: { maxDelayMs: 90_000, delayFactor: 0.5 } }],
  ["--max-body-size 2MB --max-redirects 0 --max-queued 7", { maxBodyBytes: 2_000_000, maxRedirects: 0, maxQueued: 7 }],
  ["--max-time 30m --max-bytes 1.5GB --max-cost 2", { maxDurationS: 1_800, maxBytes: 1_500_000_000, maxCostUsd: 2 }],
  [
    "--ignore-page-robots --documents none --language de,fr",
    { pageRobots: false, documents: [], languages: ["de", "fr"] },
  ],
  ["--purpose search --purpose ai-input --markdown", { crawlPurposes: ["search", "ai-input"], formats: ["markdown"] }],
  ["", { limit: 1_000, crawlPurposes: ["search"], contentUse: "reference" }],
])("%s is a request that the API takes", (flags, expected) => {
  const command = crawlOptions(new Command().exitOverride(), "crawl").parse(flags.split(" ").filter(Boolean), {
    from: "user",
  });
  const request = JSON.parse(JSON.stringify(toRequest(["a.test"], command.opts(), "crawl")));
  expect(request).toMatchObject(expected);
  expect(crawlRequest.safeParse(request).error).toBeUndefined();
});

test("a flag of a watch alone, and one of a crawl alone, is in no other request", () => {
  const every = { everyS: 60, everyFor: ["1h:/prices/**"] };
  const flags = { every, keep: "all", ignoreText: ["x"], modifiedSince: 1, dryRun: true };
  expect(toRequest(["a.test"], flags)).not.toHaveProperty("watch");
  expect(toRequest(["a.test"], flags)).not.toHaveProperty("modifiedSince");
  expect(toRequest([], flags, "watch").watch).toEqual({ ...every, ignore: { patterns: ["x"] } });
});

test.each<[string[], object]>([
  [["--every", "1h"], { everyS: 3_600, everyFor: [] }],
  [
    ["--every", "1d", "--every", "1h:/prices/**", "--every", "30d:/archive/**"],
    { everyS: 86_400, everyFor: ["1h:/prices/**", "30d:/archive/**"] },
  ],
  [["--every", "1h:/prices/**"], { everyFor: ["1h:/prices/**"] }],
])("the flag --every has the interval of all pages, and those of some: %j", (args, watch) => {
  const command = crawlOptions(new Command().exitOverride(), "watch").parse(args, { from: "user" });
  expect(toRequest([], command.opts(), "watch").watch).toEqual(watch);
});

test("the names of Cloudflare and Firecrawl are parameters of their requests", () => {
  for (const [path, { elsewhere: { cloudflare, firecrawl } = {} }] of OPTION_ROWS) {
    if (cloudflare !== undefined) expect(schemaAt(cloudflareRequest, cloudflare), path).toBeDefined();
    const taken = [crawlRequestV2, batchRequest].map((schema) => schemaAt(schema, firecrawl ?? "url"));
    expect(
      taken.some((schema) => schema !== undefined),
      path,
    ).toBe(true);
  }
});

test.each([
  [{ maxDiscoveryDepth: 1 }, "there is no maxDiscoveryDepth (did you mean depth?)"],
  [{ includePaths: ["a"] }, "there is no includePaths (did you mean options.includePatterns?)"],
  [{ setExtraHTTPHeaders: {} }, "there is no setExtraHTTPHeaders (did you mean headers?)"],
  [{ limits: 5 }, "there is no limits (did you mean limit?)"],
])("%j is answered with our name", (given, message) => {
  expect(crawlRequest.safeParse({ url: "a.test", ...given }).error?.issues[0]?.message).toBe(message);
});

test("an agent can start a crawl with a subject, and does not choose its pace", () => {
  const names = Object.keys(WRITING_TOOLS.find(({ name }) => name === "crawl")?.input.shape ?? {});
  expect(names).toEqual(expect.arrayContaining(["url", "limit", "options", "topic", "like", "search", "maxDurationS"]));
  for (const name of ["politeness", "headers", "webhook", "ignoreRobots", "userAgent"])
    expect(names).not.toContain(name);
});

test("docs/commands.md is up to date", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/commands.md"), "utf8");
  expect(writeParts(text) === text, "docs/commands.md is out of date: run npm run docs:api").toBe(true);
});
