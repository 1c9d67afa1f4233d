import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { callTool } from "../mcp-answer.ts";
import { startHandmadeSite } from "../sites/handmade-site.ts";
import { manualPages } from "../sites/manual-site.ts";
import type { Journey } from "./journey.ts";

/** A developer reads a page, then crawls a manual for an index and for an agent. */

const PAGES = 9;
const OIL = "two litres of SAE 30";

export async function feedAModel(journey: Journey): Promise<void> {
  const site = await startHandmadeSite(manualPages());
  journey.sites.push(site);
  const { origin } = site;

  await journey.run(`read ${origin}/maintenance`, ({ stdout }) => {
    assert.match(stdout, /^# Maintenance\n\nChange the oil of the headstock every 500 hours: two litres of SAE 30\.\n/);
    assert.doesNotMatch(stdout, /Contents|Printed in 2026|<\w/);
  });
  await journey.run("list", ({ stdout }) => assert.match(stdout, /^No crawls yet/));
  await journey.run(`crawl ${origin}/ --search --markdown --delay 0 --out site`, ({ stdout }) => {
    assert.match(stdout, new RegExp(`Completed: ${PAGES} pages`));
    assert.match(
      journey.read("site", "pages", new URL(origin).host.replace(":", "~"), "chuck~.html~.md"),
      /24 newton metres/,
    );
  });
  await journey.run("export latest --format chunks --out chunks.jsonl", () => {
    const lines = journey.read("chunks.jsonl").trim().split("\n");
    const chunks = lines.map((line) => JSON.parse(line) as { id: string; url: string; tokens: number; text: string });
    assert.equal(new Set(chunks.map(({ id }) => id)).size, chunks.length);
    assert.equal(new Set(chunks.map(({ url }) => url)).size, PAGES);
    assert(chunks.every(({ tokens }) => tokens <= 512));
    assert(chunks.some(({ url, text }) => url === `${origin}/maintenance` && text.includes(OIL)));
  });
  await journey.run("export latest --format llms --out llms.txt", () => {
    assert(journey.read("llms.txt").includes(`[Maintenance](${origin}/maintenance)`));
  });
  await journey.run("search oil headstock", ({ stdout }) => {
    assert(stdout.startsWith(`1. Maintenance\n   ${origin}/maintenance\n`));
  });
  await journey.step("orbweaver mcp: an agent asks which oil the headstock needs", async () => {
    const client = new Client({ name: "journey", version: "1" });
    const { script, home, env } = journey;
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [script, "mcp"], cwd: home, env, stderr: "ignore" }),
    );
    try {
      const { data } = await callTool(client, "search", { q: "oil headstock" });
      const page = await callTool(client, "read", { url: data.hits[0].site.url });
      assert.deepEqual([page.isError, page.text.includes(OIL)], [false, true], page.text);
    } finally {
      await client.close();
    }
  });
}
