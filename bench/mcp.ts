/**
 * `npm run bench:mcp`: the time of a question over MCP and of the same question to the API, side by side, in a crawl of
 * 1,000 pages (`--pages N`). The API comes right before MCP in each run, so that both see the same machine.
 */
import { parseArgs } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { callApi, waitForEnd } from "../test/e2e/api-calls.ts";
import { type Served, scratch, serve } from "../test/e2e/cli.ts";
import { startHandmadeSite } from "../test/sites/handmade-site.ts";
import { median } from "./median.ts";

const { values } = parseArgs({
  options: { pages: { type: "string", default: "1000" }, runs: { type: "string", default: "30" } },
});
const PAGES = Number(values.pages);
const RUNS = Number(values.runs);
const WORDS = [
  "lathe",
  "chuck",
  "spindle",
  "gear",
  "thread",
  "oil",
  "belt",
  "motor",
  "bearing",
  "tailstock",
  "carriage",
];

/** Some 4 kB of text, different on each page. */
function text(i: number): string {
  const words = Array.from({ length: 600 }, (_, k) => WORDS[(i * 7 + k * (1 + (i % 5))) % WORDS.length]);
  return `Chapter ${i} of the manual. ${words.join(" ")} number${i}.`;
}

const dir = scratch();
const paths = Array.from({ length: PAGES - 1 }, (_, i) => `/page-${i}`);
const links = paths.map((path) => `<a href="${path}">${path}</a>`).join(" ");
const site = await startHandmadeSite({
  "/": `<title>Manual</title><main><p>All chapters: ${links}</p></main>`,
  ...Object.fromEntries(paths.map((path, i) => [path, `<title>Chapter ${i}</title><main><p>${text(i)}</p></main>`])),
});
const served = await serve(dir.path);
try {
  const { id } = await callApi<{ id: string }>(served, "POST", "/api/crawls", {
    url: `${site.origin}/`,
    limit: PAGES,
    source: "links",
    search: true,
    politeness: { minDelayMs: 0, maxConcurrencyPerHost: 8 },
  });
  await waitForEnd(served, id);
  const { counts } = await callApi<{ counts: { completed: number } }>(served, "GET", `/api/crawls/${id}`);
  const clients = {
    "2025-11-25": await connect(served, "legacy"),
    "2026-07-28": await connect(served, { pin: "2026-07-28" }),
  };
  const page = (run: number) => `${site.origin}/page-${(run * 37) % (PAGES - 1)}`;
  const questions: [
    what: string,
    name: string,
    path: (run: number) => string,
    given: (run: number) => Record<string, unknown>,
  ][] = [
    [
      "search, a word of one page",
      "search",
      (run) => `/api/search?limit=5&q=number${run}`,
      (run) => ({ q: `number${run}` }),
    ],
    [
      "search, a word of most pages",
      "search",
      (run) => `/api/search?limit=5&q=${WORDS[run % 11]}`,
      (run) => ({ q: WORDS[run % 11] }),
    ],
    [
      "read, with its crawl",
      "read",
      (run) => `/api/crawls/${id}/page?format=markdown&url=${encodeURIComponent(page(run))}`,
      (run) => ({ url: page(run), crawl: id }),
    ],
    [
      "read, without it",
      "read",
      (run) => `/api/crawls/${id}/page?format=markdown&url=${encodeURIComponent(page(run))}`,
      (run) => ({ url: page(run) }),
    ],
    ["status", "status", () => `/api/crawls/${id}`, () => ({ crawl: id })],
    ["records", "records", () => `/api/crawls/${id}/records?limit=20`, () => ({ crawl: id })],
  ];
  console.log(`${counts.completed} pages, ${RUNS} runs, medians\n`);
  console.log("| question | API, ms | 2025-11-25, ms | ratio | 2026-07-28, ms | ratio |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const [what, name, path, given] of questions) {
    const times: Record<string, number[]> = { api: [], "2025-11-25": [], "2026-07-28": [] };
    // A page's Markdown is made by the first that asks for it.
    for (let run = 0; run < RUNS; run++) await ask(served, path(run));
    for (let run = 0; run < RUNS; run++) {
      times.api?.push(await timeOf(() => ask(served, path(run))));
      for (const [version, client] of Object.entries(clients))
        times[version]?.push(await timeOf(() => call(client, name, given(run))));
    }
    const [api = 0, old = 0, modern = 0] = Object.values(times).map((each) => median(each));
    const ratio = (ms: number) => (ms / api).toFixed(1);
    const cells = [what, api.toFixed(1), old.toFixed(1), ratio(old), modern.toFixed(1), ratio(modern)];
    console.log(`| ${cells.join(" | ")} |`);
  }
  for (const client of Object.values(clients)) await client.close();
} finally {
  await served.close();
  await site.close();
  dir.remove();
}

async function connect({ address, token }: Served, mode: "legacy" | { pin: string }): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit }));
  // The client checks answers against the schemas that the list names.
  await client.listTools();
  return client;
}

async function ask({ address, token }: Served, path: string): Promise<void> {
  const answer = await fetch(address + path, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  await answer.text();
}

async function call(client: Client, name: string, given: Record<string, unknown>): Promise<void> {
  const answer = await client.callTool({ name, arguments: given });
  if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
}

async function timeOf(run: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}
