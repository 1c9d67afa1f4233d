import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockState } from "../../src/cli/installation/state-lock.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve, startWith } from "./cli.ts";
import { selfSigned } from "./self-signed.ts";

/**
 * Mistakes of users and servers give one clear line, the right exit code and a record with a reason. Each failing host
 * has its own address, because the gate makes a host wait after a failure.
 */

const dir = scratch();
const closing: (() => unknown)[] = [];
let n = 0;
const fresh = () => join(dir.path, String(n++));
const QUICK = ["--delay", "0", "--max-attempts", "1"];
let served: Served;

beforeAll(async () => {
  served = await serve(fresh());
});

afterAll(async () => {
  await served.close();
  await Promise.all(closing.map((close) => close()));
  dir.remove();
});

function closeLater(site: Site): Site {
  closing.push(() => site.close());
  return site;
}

describe("arguments", () => {
  test.each([
    [["crawl"], /missing required argument/],
    [["crawl", "http://127.0.0.1/", "--limit", "many"], /--limit.*whole number/s],
    [["crawl", "http://127.0.0.1/", "--delay", "soon"], /--delay.*seconds/s],
    [["crawl", "http://127.0.0.1/", "--header", "nonsense"], /NAME:VALUE/],
    [["explore"], /unknown command/],
    [["https://example.com/"], /To crawl it: \S.* crawl https:\/\/example\.com\/$/m],
    [["example.com/docs"], /To print it: \S.* read example\.com\/docs$/m],
    [["list", "--remote", "https://x.invalid"], /--token/],
  ])("%j exits 2 and says why", async (args, words) => {
    const { code, stderr, stdout } = await run(...args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(words);
  });

  test.each([["ftp://example.com/"], ["http://"], ["ht!tp://x y"]])("%s is refused as a seed", async (url) => {
    const { code, stderr } = await run("crawl", url, ...served.remote);
    expect(code).toBe(2);
    expect(stderr).toContain("is not an http or https URL");
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("a User-Agent that is no header is refused", async () => {
    const args = ["crawl", "http://127.0.0.1/", "--user-agent", "a/1\nX-Injected: 1"];
    const { code, stderr } = await run(...args, ...served.remote);
    expect([code, stderr]).toEqual([2, "--user-agent: a header has no control characters and only Latin-1\n"]);
  });

  test("--help shows the usual options, and --help all lists all of them", async () => {
    const [usual, all] = await Promise.all([run("crawl", "--help"), run("crawl", "--help", "all")]);
    expect([usual.code, all.code]).toEqual([0, 0]);
    expect(usual.stdout).toContain("--concurrency");
    expect(usual.stdout).not.toContain("--max-redirects");
    expect(all.stdout).toContain("--max-redirects");
  });
});

describe("hosts that fail", () => {
  test.each([
    ["does not resolve", "http://no-such-host.invalid/", "dns"],
    ["refuses the connection", "http://127.0.0.51:1/", "connection"],
  ])("a host that %s", async (_, url, reason) => {
    const { summary, records, ended } = await crawl(fresh(), url, ...QUICK, ...served.remote);
    expect(ended.code).toBe(1);
    expect(summary).toMatchObject({ status: "errored", total: 1, errored: 1 });
    expect(records).toMatchObject([{ url, status: "errored", reason }]);
  });

  test("a host with a bad certificate", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const server = createTlsServer({ ...selfSigned(privateKey, publicKey) }).on("tlsClientError", () => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.52", resolve));
    closing.push(() => server.close());
    const url = `https://127.0.0.52:${(server.address() as AddressInfo).port}/`;
    const { records, ended } = await crawl(fresh(), url, ...QUICK, ...served.remote);
    expect(ended.code).toBe(1);
    const explanation = expect.stringContaining("NODE_EXTRA_CA_CERTS");
    expect(records).toMatchObject([{ status: "errored", reason: "tls", explanation }]);
  });

  test("a host whose certificate the user trusts is no such host", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { key, cert } = selfSigned(privateKey, publicKey, "localhost");
    const server = createHttpsServer({ key, cert }, (_, response) => {
      response.setHeader("content-type", "text/html").end("<title>Trusted</title><p>Words.");
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    closing.push(() => server.close());
    const file = join(dir.path, "trusted.pem");
    writeFileSync(file, cert);
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    const crawlWith = (certificates: string) =>
      startWith({ NODE_EXTRA_CA_CERTS: certificates }, ["read", url, "--state", join(fresh(), "state")]).ended;
    expect(await crawlWith(file)).toMatchObject({ code: 0, stdout: "Words.\n" });
    const missing = await crawlWith(`${file}.no`);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("cannot be read (ENOENT)")]);
  });

  test("a host that closes the connection on robots.txt", async () => {
    const server = createTcpServer((socket) => socket.once("data", () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.53", resolve));
    closing.push(() => server.close());
    const url = `http://127.0.0.53:${(server.address() as AddressInfo).port}/`;
    const { records } = await crawl(fresh(), url, ...QUICK, ...served.remote);
    expect(records).toMatchObject([{ status: "errored", reason: "connection" }]);
  });

  test("a host that sends control sequences for the terminal", async () => {
    const server = createTcpServer((socket) =>
      socket.once("data", () =>
        socket.end(
          "HTTP/1.1 404 Not \x1b[31mFound\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        ),
      ),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.54", resolve));
    closing.push(() => server.close());
    const url = `http://127.0.0.54:${(server.address() as AddressInfo).port}/`;
    const { stdout, stderr } = await run("crawl", url, ...QUICK, ...served.remote);
    expect(stdout).toContain("the server answered with an error: 404 Not ?[31mFound");
    expect(stdout + stderr).not.toContain("\x1b");
  });

  test("a seed that robots.txt forbids", async () => {
    const site = closeLater(
      await startHandmadeSite(
        { "/robots.txt": { body: "User-agent: *\nDisallow: /" }, "/": page("home") },
        { host: "127.0.0.55" },
      ),
    );
    const { code, stdout } = await run("crawl", `${site.origin}/`, ...QUICK, ...served.remote);
    expect(code).toBe(1);
    expect(stdout).toContain("robots.txt forbids it: Disallow: / (for *)");
    expect(site.log.map(({ path }) => path)).toEqual(["/robots.txt"]);
  });
});

describe("ports and folders that cannot be used", () => {
  test("a port in use", async () => {
    const site = closeLater(await startHandmadeSite({}));
    const { code, stderr } = await run("serve", "--port", String(site.port), "--state", fresh());
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(`Port ${site.port} is in use. Choose another with --port N.`);
  });

  test.each([
    ["--state", "state folder"],
    ["--out", "folder"],
  ])("%s below a file", async (flag, words) => {
    const path = fresh();
    writeFileSync(path, "a file");
    const state = flag === "--state" ? [] : ["--state", fresh()];
    const { code, stderr } = await run("crawl", "http://127.0.0.1:1/", flag, join(path, "x"), ...state);
    expect(code).toBe(1);
    expect(stderr).toContain(`The ${words} ${join(path, "x")} cannot be written`);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("a state folder in use by another process", async () => {
    const path = fresh();
    mkdirSync(path);
    const held = await lockState(path);
    const { code, stderr } = await run("list", "--state", path);
    held.release();
    expect(code).toBe(1);
    expect(stderr).toContain(`Process ${process.pid} is working in ${path}`);
  });

  test("a lock file that names a process without the lock is ignored", async () => {
    const path = fresh();
    mkdirSync(path);
    writeFileSync(join(path, "lock"), String(process.pid));
    const { code, stdout } = await run("list", "--state", path);
    expect([code, stdout]).toEqual([0, "No crawls yet. Start one: npm run orbweaver -- crawl https://example.com/\n"]);
  });
});
