import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Response as MiniflareResponse } from "miniflare";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { makeStateFolder } from "../../src/cli/installation/state-folder.ts";
import type { HostOrder } from "../../src/cli/machine/host-order.ts";
import { keepMessages } from "../../src/cli/machine/kept-message.ts";
import { variablesOf } from "../../src/cli/machine/local-worker.ts";
import { workerdPath } from "../../src/cli/machine/reader-script.ts";
import { quote, writeScript } from "../../src/cli/machine/shell-script.ts";
import { startKept } from "../../src/cli/machine/start-kept.ts";
import type { WorkerBuild } from "../../src/cli/machine/stored-build.ts";
import { scratch } from "./cli.ts";
import { selfSigned } from "./self-signed.ts";

/** workerd as it starts with the message that a build keeps, here of a small Worker. */

const dir = scratch();
afterAll(() => dir.remove());

const WORKER = `export default {
  fetch: (request, { API_TOKEN, DIAGNOSIS, READER, READERS }) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/disk") return DIAGNOSIS.fetch("http://host/disk");
    if (pathname === "/location") return DIAGNOSIS.fetch("http://host/location", request);
    if (pathname === "/document") return READER.fetch("http://host/", { method: "POST", body: request.body });
    if (pathname === "/fails") throw new Error("this Worker fails");
    return new Response(pathname === "/readers" ? String(Number(READERS)) : API_TOKEN);
  },
};`;

const token = "t".repeat(32);
/** Reads a document as its bytes backwards, and takes none that is empty. */
const reader = {
  count: 2,
  fetch: async (request: { arrayBuffer(): Promise<ArrayBuffer> }) => {
    const bytes = new Uint8Array(await request.arrayBuffer());
    const status = bytes.length === 0 ? 422 : 200;
    return new Response(bytes.toReversed(), { status }) as unknown as MiniflareResponse;
  },
};

async function makeBuild(): Promise<WorkerBuild> {
  const folder = mkdtempSync(join(dir.path, "build-"));
  writeFileSync(join(folder, "index.js"), WORKER);
  const compatibilityDate = "2026-01-01";
  const d1Databases = { LEDGER: { id: "LEDGER" } };
  const build: WorkerBuild = {
    name: "orbweaver",
    folder,
    files: ["index.js"],
    options: { compatibilityDate, d1Databases, bindings: {} },
    fetcher: [],
    reader: { folder, compatibilityDate, compatibilityFlags: [], files: [] },
    ledger: { d1Databases, migrations: [] },
  };
  writeFileSync(join(folder, "build.json"), JSON.stringify(build.options));
  await keepMessages(build);
  return build;
}

function keptOrder(build: WorkerBuild, order: Partial<HostOrder>, state: string) {
  const whole = { port: 0, token, ...order };
  const variables = variablesOf(state, whole, reader.count);
  const messages = () => join(state, "messages");
  return { state, order: whole, build, variables, reader, fetcher: null, messages };
}

/** The address of its Worker. */
async function startWith(build: WorkerBuild, order: Partial<HostOrder>, state: string): Promise<string> {
  makeStateFolder(state);
  const started = await startKept(keptOrder(build, order, state));
  if (started === null) throw new Error("no message was kept");
  onTestFinished(async () => void (await started.dispose()));
  return `http://127.0.0.1:${started.port}`;
}

test("a Worker that crawls has this machine read its documents, and say why requests fail", async () => {
  const at = await startWith(await makeBuild(), {}, join(dir.path, "crawling"));
  expect(await (await fetch(`${at}/disk`)).json()).toEqual({ freeBytes: expect.any(Number) });
  expect(await (await fetch(`${at}/location`, { headers: { location: "/caf\u00e9" } })).text()).toBe("/caf%E9");
  const read = (body: string) => fetch(`${at}/document`, { method: "POST", body });
  const document = await read("a document");
  expect([document.status, await document.text()]).toEqual([200, "tnemucod a"]);
  expect((await read("")).status).toBe(422);
  expect(await (await fetch(`${at}/readers`)).text()).toBe("2");
  const failed = await fetch(`${at}/fails`);
  expect([failed.status, await failed.text()]).toEqual([500, expect.stringContaining("this Worker fails")]);
});

/** Has Node trust a certificate that the build knows nothing of. */
function trustAnother(): void {
  const file = join(dir.path, "authority.pem");
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  writeFileSync(file, selfSigned(privateKey, publicKey).cert);
  vi.stubEnv("NODE_EXTRA_CA_CERTS", file);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test("other certificates than those of the build have a message of their own, for crawls alone", async () => {
  const build = await makeBuild();
  trustAnother();
  const state = join(dir.path, "certificates");
  const kept = () => readdirSync(join(state, "messages")).filter((name) => name.endsWith(".json"));
  for (let start = 0; start < 2; start++) {
    const at = await startWith(build, {}, state);
    expect(await (await fetch(at)).text()).toBe(token);
    expect(kept()).toEqual([expect.stringMatching(/^crawl-/)]);
  }
  await startWith(build, { reads: "pages" }, state);
  expect(kept()).toHaveLength(1);
});

test("a crawl with other V8 flags has a message of its own", async () => {
  const build = await makeBuild();
  vi.stubEnv("MINIFLARE_WORKERD_V8_FLAGS", "--max-semi-space-size=2");
  onTestFinished(() => void vi.unstubAllEnvs());
  const state = join(dir.path, "flags");
  await startWith(build, {}, state);
  const [message = ""] = readdirSync(join(state, "messages")).filter((name) => name.endsWith(".bin"));
  expect(readFileSync(join(state, "messages", message), "latin1")).toContain("--max-semi-space-size=2");
});

test("where no message can be kept, the start is left to miniflare", async () => {
  const build = await makeBuild();
  trustAnother();
  const state = join(dir.path, "full");
  makeStateFolder(state);
  const logged = vi.spyOn(console, "error").mockReturnValue();
  // Below a file there is no folder.
  const messages = () => join(build.folder, "index.js", "messages");
  expect(await startKept({ ...keptOrder(build, {}, state), messages })).toBeNull();
  expect(logged.mock.calls.flat().join()).toContain("ENOTDIR");
  logged.mockRestore();
});

test.each<[what: string, order: Partial<HostOrder>]>([
  ["the console", { hasConsole: true }],
  ["a port", { port: 8787 }],
  ["an address", { host: "0.0.0.0" }],
  ["a browser", { browser: "chromium" }],
  ["a hook", { hook: "hook.ts" }],
  ["a second token", { token: "new old" }],
  ["a token for reading", { readToken: "reader" }],
])("a start with %s is left to miniflare", async (_, order) => {
  const build = await makeBuild();
  const state = join(dir.path, "other");
  makeStateFolder(state);
  expect(await startKept(keptOrder(build, order, state))).toBeNull();
});

test("the secrets that let others in are new at each start, and not those that the build keeps", async () => {
  const build = await makeBuild();
  const state = join(dir.path, "state");
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
  const at = await startWith(build, { reads: "ledger" }, state);
  expect(await (await fetch(at)).text()).toBe(token);
  expect(await (await fetch(`${at}/disk`)).json()).toEqual({ freeBytes: expect.any(Number) });

  const name = readdirSync(build.folder).find((file) => /^reads-ledger-.*\.json$/.test(file)) ?? "";
  const { secrets } = JSON.parse(readFileSync(join(build.folder, name), "utf8"));
  const inFile = (file: string, at: number, bytes: number) => readFileSync(file).subarray(at, at + bytes);
  const kept = join(build.folder, name.replace(".json", ".bin"));
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
    (
      await fetch(`http://127.0.0.1:${port}/disk`, {
        headers: { "MF-Loopback-Secret": secret, "MF-Custom-Fetch-Service": "0/#DIAGNOSIS" },
      })
    ).status;
  expect(await askDisk(inFile(kept, secrets.loopback, 64).toString("latin1"))).toBe(403);
  expect(await askDisk(inFile(sent, secrets.loopback, 64).toString("latin1"))).toBe(200);
});
