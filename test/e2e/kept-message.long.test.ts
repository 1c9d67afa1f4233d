import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { makeStateFolder } from "../../src/cli/installation/state-folder.ts";
import { keepMessage, startKept } from "../../src/cli/machine/kept-message.ts";
import { workerdPath } from "../../src/cli/machine/reader-script.ts";
import { quote, writeScript } from "../../src/cli/machine/shell-script.ts";
import type { WorkerBuild } from "../../src/cli/machine/stored-build.ts";
import { scratch } from "./cli.ts";

/** workerd as it starts with the message that a build keeps, here of a small Worker. */

const dir = scratch();
afterAll(() => dir.remove());

const WORKER = `export default {
  fetch: ({ url }, { API_TOKEN, DIAGNOSIS }) =>
    url.endsWith("/disk") ? DIAGNOSIS.fetch("http://host/disk") : new Response(API_TOKEN),
};`;

async function makeBuild(): Promise<WorkerBuild> {
  const folder = join(dir.path, "build");
  mkdirSync(folder);
  writeFileSync(join(folder, "index.js"), WORKER);
  const compatibilityDate = "2026-01-01";
  const d1Databases = { LEDGER: { id: "LEDGER" } };
  const build: WorkerBuild = {
    name: "orbweaver",
    folder,
    files: ["index.js"],
    options: { compatibilityDate, d1Databases, bindings: {} },
    reader: { folder, compatibilityDate, compatibilityFlags: [], files: [] },
    ledger: { d1Databases, migrations: [] },
  };
  await keepMessage(build);
  return build;
}

test("the secrets that let others in are new at each start, and not those that the build keeps", async () => {
  const build = await makeBuild();
  const state = join(dir.path, "state");
  makeStateFolder(state);
  const [script, sent, args] = ["workerd", "sent", "arguments"].map((name) => join(dir.path, name)) as [
    string,
    string,
    string,
  ];
  writeScript(script, [
    `printf '%s\\n' "$@" > ${quote(args)}`,
    `cat > ${quote(sent)}`,
    `exec ${quote(workerdPath())} "$@" < ${quote(sent)}`,
  ]);
  vi.stubEnv("MINIFLARE_WORKERD_PATH", script);
  onTestFinished(() => void vi.unstubAllEnvs());
  const token = "t".repeat(32);
  const started = await startKept(state, { port: 0, token, reads: "ledger" }, build, false);
  if (started === null) throw new Error("the build keeps no message");
  onTestFinished(async () => void (await started.dispose()));
  const at = `http://127.0.0.1:${started.port}`;
  expect(await (await fetch(at)).text()).toBe(token);
  expect(await (await fetch(`${at}/disk`)).json()).toEqual({ freeBytes: expect.any(Number) });

  const { secrets } = JSON.parse(readFileSync(join(build.folder, "reads-ledger.json"), "utf8"));
  const inFile = (file: string, at: number, bytes: number) => readFileSync(file).subarray(at, at + bytes);
  const kept = join(build.folder, "reads-ledger.bin");
  /** 400: the operation lacks its object. */
  const operate = async (secret: Buffer) =>
    (
      await fetch(`${at}/cdn-cgi/local/platform-proxy`, {
        headers: { "MF-Op": "GET", "MF-Op-Secret": secret.toString("hex") },
      })
    ).status;
  expect(await operate(inFile(kept, secrets.proxy, 16))).toBe(401);
  expect(await operate(inFile(sent, secrets.proxy, 16))).toBe(400);

  const port = /loopback=127\.0\.0\.1:(\d+)/.exec(readFileSync(args, "utf8"))?.[1];
  const askDisk = async (secret: string) =>
    (await fetch(`http://127.0.0.1:${port}/disk`, { headers: { "MF-Loopback-Secret": secret } })).status;
  expect(await askDisk(inFile(kept, secrets.loopback, 64).toString("latin1"))).toBe(403);
  expect(await askDisk(inFile(sent, secrets.loopback, 64).toString("latin1"))).toBe(200);
}, 60_000);
