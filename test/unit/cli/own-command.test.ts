import { expect, test } from "vitest";
import { findGuestHosts } from "../../../src/cli/control/own-command.ts";
import type { Client } from "../../../src/cli/installation/client.ts";
import { GUEST_CONNECTIONS, GUEST_DELAY_MS } from "../../../src/host/guest-limits.ts";

/** What a command says of hosts that are not shown to be one's own. */

const limits = "at most 2 connections";

async function say(seeds: string[], flags: Parameters<typeof findGuestHosts>[1]) {
  const asked: string[] = [];
  const ownership = async (url: string) => {
    asked.push(url);
    if (url.includes("broken")) throw new Error("no such route");
    const { host } = new URL(url);
    return { host, isOwn: host.startsWith("own."), says: "", limits, key: "k", file: "f", dns: null };
  };
  const lines = await findGuestHosts(seeds, flags, { ownership } as unknown as Client);
  return { asked, lines };
}

const LEAST_DELAY = GUEST_DELAY_MS / 1_000;

test.each([{}, { delay: LEAST_DELAY }, { concurrency: GUEST_CONNECTIONS }])(
  "says nothing of a crawl that asks for no more: %j",
  async (flags) => {
    expect(await say(["https://example.com/"], flags)).toEqual({ asked: [], lines: [] });
  },
);

test.each([
  { delay: 0 },
  { delay: LEAST_DELAY - 0.01 },
  { concurrency: GUEST_CONNECTIONS + 1 },
  { ignoreRobots: true },
])("names each host once that is not shown to be one's own: %j", async (flags) => {
  const seeds = ["https://example.com/a", "https://example.com/b", "own.example", "broken.example", "sub.example:81"];
  const { asked, lines } = await say(seeds, flags);
  expect(asked).toHaveLength(4);
  expect(lines).toEqual([
    `example.com is not shown to be yours: ${limits}. If it is yours: orbweaver own example.com`,
    `sub.example:81 is not shown to be yours: ${limits}. If it is yours: orbweaver own sub.example:81`,
  ]);
});
