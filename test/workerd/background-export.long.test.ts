import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import { writePart } from "../../src/api/exports/export-writer.ts";
import type { BackgroundList, StartedBackgroundView } from "../../src/api/views.ts";
import { type Deps, depsOf } from "../../src/frontier/deps.ts";
import { writeExport } from "../../src/passes/export/write-export.ts";
import { type DoStep, PassRun } from "../../src/passes/pass-run.ts";
import { World } from "./world.ts";

/** Exports in the background: what one request on Cloudflare may not read becomes a file that is whole. */

afterEach(() => {
  vi.restoreAllMocks();
  return env.LEDGER.exec("UPDATE passes SET status = 'errored' WHERE status = 'running'");
});

const SITE = "https://files.test/";
const PAGES = 130;

const runs: string[] = [];
const PASSES = {
  create: async ({ id }: { id: string }) => {
    runs.push(id);
  },
} as unknown as Env["PASSES"];

function ask(path: string, { headers = {}, ...init }: RequestInit & { local?: boolean } = {}): Promise<Response> {
  const given = { ...init, headers: { authorization: "Bearer test-token", ...headers } };
  return Promise.resolve(
    app.request(path, given, { ...env, PASSES, ...(init.local ? { BOOT: "test" } : {}) }, createExecutionContext()),
  );
}

/** Deps as a step on Cloudflare has them: a part may start 32 invocations. */
function stepOf(world: World): Deps {
  return { ...world.deps, writeExportPart: (...order) => writePart(depsOf(env), ...order) };
}

async function newCrawl() {
  const urls = Array.from({ length: PAGES }, (_, i) => `${SITE}${i % 2 === 0 ? "a" : "b"}/${i}`);
  const world = new World((url) => ({ links: url === SITE ? urls : [], text: `Text of ${url}.`, title: `At ${url}` }));
  const id = await world.start([SITE], {});
  await world.runToEnd(id);
  return { world, id, urls };
}

async function start(id: string, format: string): Promise<StartedBackgroundView> {
  const answer = await ask(`/api/crawls/${id}/exports`, { method: "POST", body: JSON.stringify({ format }) });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { result: StartedBackgroundView }).result;
}

async function list(id: string): Promise<BackgroundList> {
  return ((await (await ask(`/api/crawls/${id}/exports`)).json()) as { result: BackgroundList }).result;
}

describe("an export in the background", () => {
  test("is the whole file in each format, also if it was killed in the middle, and replaces the one before", async () => {
    const { world, id } = await newCrawl();
    const { long } = await list(id);
    expect(long).toEqual(["markdown", "chunks", "llms", "llms-full"]);
    let before: string | null = null;
    for (const format of [...long, "jsonl", "csv"]) {
      const started = await start(id, format);
      expect([started.status, started.file, started.format]).toEqual(["running", null, format]);
      const done = new Map<string, unknown>();
      // It dies in its third step, and begins again.
      let steps = 0;
      const dying: DoStep = async (name, work) => {
        if (done.has(name)) return done.get(name) as never;
        steps += 1;
        if (steps === 3) throw new Error("killed");
        const value = await work();
        done.set(name, value);
        return value;
      };
      const run = () =>
        writeExport(new PassRun({ crawl: id, id: started.id, kind: "export" }, dying, () => stepOf(world)));
      await expect(run()).rejects.toThrow("killed");
      expect((await list(id)).exports[0]).toMatchObject({ status: "running", file: null, stage: "Writing the file" });
      await run();
      const [made] = (await list(id)).exports;
      expect(made).toMatchObject({ status: "completed", format, id: started.id });
      const file = await ask(made?.file ?? "");
      expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="files\.test-/);
      const text = await file.text();
      const whole = await (await ask(`/api/crawls/${id}/export?format=${format}`, { local: true })).text();
      expect(text === whole, `${format} differs`).toBe(true);
      expect(new TextEncoder().encode(text)).toHaveLength(made?.bytes ?? 0);
      const rest = await ask(made?.file ?? "", { headers: { range: "bytes=100-" } });
      expect([rest.status, (await rest.text()) === text.slice(100)]).toEqual([206, true]);
      if (before !== null) expect((await ask(before)).status).toBe(404);
      before = made?.file ?? null;
    }
  });

  test("breaks off if a part of the file is lost", async () => {
    const { world, id } = await newCrawl();
    const { id: pass } = await start(id, "markdown");
    await writeExport(
      new PassRun(
        { crawl: id, id: pass, kind: "export" },
        (_, work) => work(),
        () => stepOf(world),
      ),
    );
    await env.MIRROR.delete(`${id}/packs/passes/${pass}/file-2`);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const [made] = (await list(id)).exports;
    await expect((await ask(made?.file ?? "")).text()).rejects.toThrow();
  });

  test("is refused for what cannot be made, with a sentence", async () => {
    const { id } = await newCrawl();
    const post = (body: unknown) => ask(`/api/crawls/${id}/exports`, { method: "POST", body: JSON.stringify(body) });
    for (const body of [{ format: "wacz" }, { format: "sitemap" }, { format: "csv", rawText: true }, {}])
      expect([body, (await post(body)).status]).toEqual([body, 400]);
    await env.LEDGER.prepare("UPDATE crawls SET completed = 900000 WHERE id = ?1").bind(id).run();
    const answer = await post({ format: "markdown" });
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining("use the command line")]);
  });
});
