import type { Client } from "@modelcontextprotocol/client";
import { beforeAll, expect, test, vi } from "vitest";
import { TOOLS } from "../../src/api/mcp/tools.ts";
import { callTool } from "../mcp-answer.ts";
import { analyzeCrawl } from "./analyze-crawl.ts";
import { keepSite } from "./kept-site.ts";
import { useMcpClients } from "./mcp-client.ts";
import { WATCH } from "./rows.ts";
import { World } from "./world.ts";

/** Whatever an agent sends, a tool answers with what is there, or with a sentence that says what to do. */

const connect = useMcpClients();
const SITE = "https://agents.test/";
const GONE = `${SITE}gone`;
const OLD = "https://old.agents.test/";
const NAMES = [
  "latest",
  "LATEST",
  undefined,
  "agents.test",
  SITE,
  "old.agents.test",
  "nowhere",
  "0000",
  12_345,
  "",
  null,
];
let ids: Record<"old" | "dry" | "waiting" | "newest", string>;

beforeAll(async () => {
  const world = new World((url) => {
    if (url.endsWith("/gone")) return { status: 404 };
    if (url.endsWith("/moved")) return { redirect: SITE };
    return { links: [GONE, `${SITE}moved`, `${SITE}a?b=c`], title: `At ${url}`, text: `Otters at ${url}` };
  });
  const old = await world.start([OLD], { search: true });
  await world.runToEnd(old);
  const dry = await world.start(["https://dry.agents.test/"], { dryRun: true });
  await world.runToEnd(dry);
  const waiting = await world.start(["https://waiting.agents.test/"], {});
  world.now += 1_000;
  const newest = await world.start([SITE], { search: true });
  await world.runToEnd(newest);
  await keepSite(newest, [{ url: `${SITE}kept`, links: [GONE], text: "A page that links." }]);
  await analyzeCrawl(newest, world);
  await world.deps.ledger.watch(old, WATCH, world.now);
  ids = { old, dry, waiting, newest };
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

/** Values of each parameter, right and wrong ones. */
const VALUES: Record<string, unknown[]> = {
  url: [SITE, GONE, `${SITE}moved`, "https://never.test/x", "no url", "", 7, null, {}, "x".repeat(9_000), "\u0000"],
  q: ["otters", '"', "-a", "*", "AND OR (", "", 5, "x".repeat(2_000)],
  cursor: ["", "abc", "-1", 0, 1e9, "12.x", "\u0000", {}],
  since: ["0", "999999", "2026-01-01", "yesterday", -1, {}],
  from: ["2020-01-01", "2099-01-01T00:00:00Z", "x"],
  to: ["2020-01-01", "2099-01-01T00:00:00Z", "x"],
  kind: ["broken-link", "changed", "added,changed", "nothing", 3],
  status: ["completed", "errored", "done", 1],
  reason: ["http-status", "because", 1],
  code: ["404", "4xx", 404, "9xx"],
  sort: ["rank", "inLinks", "x"],
  order: ["desc", "authority", "relevance", "x"],
  limit: [1, "2", 0, -1, 1e9, "many"],
  offset: [0, 5, 1e8, -1, "x"],
  length: [1_000, 1, "x"],
  full: [true, "true", "maybe"],
  everyS: [86_400, 1, "x"],
};
const USUAL: Record<string, unknown> = { url: SITE, q: "otters", everyS: 86_400 };

function* callsOf(name: string, parameters: readonly string[]): Generator<Record<string, unknown>> {
  const needed = name === "crawl" ? [] : parameters.filter((each) => each in USUAL);
  const base = Object.fromEntries(needed.map((each) => [each, USUAL[each]]));
  yield {};
  if (parameters.includes("crawl")) for (const crawl of [...NAMES, ...Object.values(ids)]) yield { ...base, crawl };
  for (const parameter of parameters)
    for (const value of VALUES[parameter] ?? [true, 1, "x", {}, []]) yield { ...base, [parameter]: value };
  yield { ...base, unknown: 1 };
}

async function answers(client: Client, tool: string, given: Record<string, unknown>) {
  const answer = await callTool(client, tool, given);
  expect([tool, given, answer.isError, answer.text]).toEqual([tool, given, false, expect.any(String)]);
  return answer;
}

test("`latest`, a site and no crawl at all lead to a crawl", async () => {
  const client = await connect("test-token");
  const { data } = await answers(client, "list", {});
  const newest = data.crawls[0].id;
  for (const given of [{ crawl: "latest" }, {}]) {
    expect((await answers(client, "status", given)).data.id).toBe(newest);
    for (const tool of ["records", "report"]) expect((await answers(client, tool, given)).text).toContain(newest);
  }
  expect((await answers(client, "status", { crawl: "old.agents.test" })).data.id).toBe(ids.old);
  // The newest watch, the newest crawl that knows the URL, the newest one of its site.
  expect((await answers(client, "changes", {})).text).toContain(ids.old);
  expect((await answers(client, "explain", { url: `${SITE}kept` })).text).toContain(ids.newest);
  expect((await answers(client, "explain", { url: `${OLD}new` })).text).toContain(ids.old);
  expect((await answers(client, "inlinks", { url: GONE })).data.total).toBeGreaterThan(0);
});

test.each(TOOLS.map((tool) => [tool.name, tool] as const))("%s answers whatever it is asked", async (name, tool) => {
  const client = await connect("test-token");
  for (const given of callsOf(name, Object.keys(tool.input.shape))) {
    const { text, isError, data } = await callTool(client, name, given);
    const call = `${name} ${JSON.stringify(given).slice(0, 200)}`;
    expect([call, text]).toEqual([call, expect.not.stringMatching(/internal error|could not answer/i)]);
    expect([call, text.length > 10]).toEqual([call, true]);
    // An answer is there as an object too.
    expect([call, isError || data !== undefined]).toEqual([call, true]);
  }
});
