import { expect, test } from "vitest";
import type { CrawlView, WebhookView } from "../../src/api/views.ts";
import { getOrPost } from "./api-calls.ts";
import { serveFast, start } from "./cli.ts";
import { SECRET, startReceiver } from "./receiver.ts";
import { shareServer } from "./served-sites.ts";
import { articleOf, startTaggedSite, until } from "./watched-site.ts";

/** A watch that tells a receiver, which checks signatures with the official library. A second is a real millisecond. */

const SPEED = 1_000;
const TEXT = "Words that stay the same in this page, again and again, so that it has a text. ".repeat(5);

const shared = shareServer((state) => serveFast(state, SPEED, new Date("2031-01-01T00:00:00Z")));
const { sites } = shared;

test("`watch --webhook` tells the end of the first crawl, then what changed", async () => {
  const pages: Record<string, string> = {
    "/": articleOf("Home", [`Home. ${TEXT}`], "/a", "/b"),
    "/a": articleOf("A", [`Page a. ${TEXT}`]),
    "/b": articleOf("B", [`Page b. ${TEXT}`]),
  };
  const site = await startTaggedSite(pages, "127.0.0.52");
  const receiver = await startReceiver((response, nth) => {
    response.writeHead(nth === 0 ? 503 : 204).end();
  });
  sites.push(site, receiver);
  const flags = ["--every", "1h", "--fixed", "--delay", "0", "--source", "links"];
  const hook = ["--webhook", receiver.url, "--webhook-secret", SECRET];
  const watch = start("watch", `${site.origin}/`, ...flags, ...hook, ...shared.served.remote);
  const id = /Watch (\S+) started/.exec(await watch.printed("started."))?.[1] ?? "";
  const notices = async () => receiver.notices;
  const [first, again] = await until(shared.served, notices, (list) => list.length >= 2);
  expect(first).toMatchObject({ type: "crawl.completed", data: { crawl: id, status: "watching", total: 3 } });
  expect(again).toEqual(first);

  pages["/a"] = articleOf("A", [`Page a says something else now. ${TEXT}`], "/c");
  pages["/c"] = articleOf("C", [`Page c is new. ${TEXT}`]);
  const changesOf = (list: typeof receiver.notices) =>
    list.flatMap(({ type, data }) => (type === "pages.changed" ? (data.changes as Record<string, unknown>[]) : []));
  const told = changesOf(await until(shared.served, notices, (list) => changesOf(list).length >= 2));
  expect(told).toEqual([
    {
      seq: 1,
      kind: "changed",
      url: `${site.origin}/a`,
      target: null,
      at: expect.stringMatching(/^2031-/),
      title: "A",
      detail: expect.stringContaining("something else"),
    },
    expect.objectContaining({ seq: 2, kind: "added", url: `${site.origin}/c`, title: "C" }),
  ]);
  expect(receiver.refused).toBe(0);
  expect(receiver.notices.map(({ type }) => type).filter((type) => type.startsWith("crawl."))).toHaveLength(2);
  watch.child.kill("SIGINT");
  await watch.ended;

  // The same command with the id goes on, with the webhook that is there.
  const rules = ["--ignore-text", "Posted * ago", "--ignore-selector", ".ad", "--keep", "90d"];
  const on = start("watch", "latest", ...hook, ...rules, ...shared.served.remote);
  await on.printed("Its pages are visited again");
  on.child.kill("SIGINT");
  expect((await on.ended).stdout).not.toContain("notices are sent to");
  expect(await getOrPost<WebhookView[]>(shared.served, `/api/crawls/${id}/webhooks`)).toMatchObject([
    { url: receiver.url },
  ]);
  const watchOf = async () => (await getOrPost<CrawlView>(shared.served, `/api/crawls/${id}`)).options.watch;
  expect(await watchOf()).toMatchObject({ ignore: { patterns: ["Posted * ago"], selectors: [".ad"] }, keepDays: 90 });
  const other = start(
    "watch",
    id,
    "--webhook",
    `${receiver.url}/other`,
    "--webhook-events",
    "watch.trouble",
    ...["--no-ignore", "--ignore-selector", ".sidebar", "--keep", "all"],
    ...shared.served.remote,
  );
  expect(await other.printed("Its pages are visited again")).toMatch(/not shown again: whsec_/);
  other.child.kill("SIGINT");
  await other.ended;
  expect(await getOrPost<WebhookView[]>(shared.served, `/api/crawls/${id}/webhooks`)).toMatchObject([
    { events: null },
    { events: ["watch.trouble"] },
  ]);
  // Both commands keep what they do not name.
  expect(await watchOf()).toEqual({
    everyS: 3_600,
    everyFor: [],
    fixed: true,
    tell: [],
    ignore: { urls: [], selectors: [".sidebar"], patterns: [], leastShare: 0 },
  });
});
