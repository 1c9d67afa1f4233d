import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Site, startSite } from "../sites/site.ts";
import { readRecords, scratch } from "./cli.ts";
import { canMount, withHosts } from "./hosts-file.ts";

/**
 * A host that is not shown to be one's own: a hosts file gives its name to loopback, and it looks like that of any
 * site.
 */

const mounts = canMount("hosts that are not shown to be one's own");
const dir = scratch();
const runCommand = withHosts(dir.path, "127.0.0.1 localhost guest.example");
const PAGES = 8;
/** What a guest does not get. */
const ASKED = ["--delay", "0", "--concurrency", "8", "--ignore-robots", "--source", "links"];
let site: Site;

beforeAll(async () => {
  site = await startSite(
    ({ url = "/" }, response) => {
      if (url === "/robots.txt") return void response.end("User-agent: *\nDisallow: /no");
      if (!/^\/(?:no|p\d+)?$/.test(url)) return void response.writeHead(404).end();
      const links = url === "/" ? ["no", ...Array.from({ length: PAGES }, (_, i) => `p${i}`)] : [];
      response.setHeader("content-type", "text/html");
      response.end(`<title>x</title><p>${url}</p>${links.map((to) => `<a href="/${to}">${to}</a>`).join(" ")}`);
    },
    { delayMs: 300 },
  );
});

afterAll(async () => {
  await site.close();
  dir.remove();
});

async function crawlGuest(name: string, variables: Record<string, string>, args: string[] = []) {
  site.log.length = 0;
  const out = join(dir.path, name);
  const command = ["crawl", `http://guest.example:${site.port}/`, ...ASKED, ...args, "--out", out];
  const ended = await runCommand(variables, [...command, "--state", join(dir.path, `${name}-state`)]);
  const times = site.log.map(({ startedAt, finishedAt = Infinity }) => ({ startedAt, finishedAt }));
  const openAt = (at: number) => times.filter(({ startedAt, finishedAt }) => startedAt <= at && at < finishedAt).length;
  return {
    ...ended,
    notes: ended.stdout.split("\n").filter((line) => line.includes("not shown to be yours")),
    connections: Math.max(0, ...times.map(({ startedAt }) => openAt(startedAt))),
    spreadMs:
      Math.max(...times.map(({ startedAt }) => startedAt)) - Math.min(...times.map(({ startedAt }) => startedAt)),
    paths: site.log.map(({ path }) => path),
    statuses: () => readRecords(out).map(({ status }) => status),
  };
}

describe.skipIf(!mounts)("a host that is not shown to be one's own", () => {
  test("gives two connections and 0.2 s, and the command says so and goes on", async () => {
    const { code, notes, connections, spreadMs, paths, statuses } = await crawlGuest("guest", {});
    const host = `guest.example:${site.port}`;
    expect(notes).toEqual([
      expect.stringContaining(
        `${host} is not shown to be yours: at most 2 connections, 0.2 s between requests, and robots.txt always. If it is yours: orbweaver own ${host}`,
      ),
    ]);
    expect(code).toBe(0);
    expect(statuses().filter((status) => status === "completed")).toHaveLength(PAGES + 1);
    expect(statuses().filter((status) => status === "disallowed")).toHaveLength(1);
    expect(paths).not.toContain("/no");
    expect(connections).toBeLessThanOrEqual(2);
    // A request may arrive a little late, and the next one in time.
    expect(spreadMs).toBeGreaterThan((paths.length - 2) * 200);
  });

  test("gives what is asked for where OWN_HOSTS lists it, and the command says nothing of it", async () => {
    const { code, notes, connections, paths } = await crawlGuest("own", { OWN_HOSTS: `guest.example:${site.port}` });
    expect(code).toBe(0);
    expect(notes).toEqual([]);
    expect(connections).toBeGreaterThan(2);
    expect(paths).toContain("/no");
    expect(paths).not.toContain("/robots.txt");
  });

  test("is not made one's own by --own, which says how its owner shows it", async () => {
    const { code, stderr, paths } = await crawlGuest("named", {}, ["--own", "guest.example"]);
    expect(code).toBe(2);
    expect(stderr).toContain("guest.example is no private host");
    expect(stderr).toContain("orbweaver own guest.example");
    expect(paths).toEqual([]);
  });
});
