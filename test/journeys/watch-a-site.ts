import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { beat } from "../e2e/api-calls.ts";
import { placeIn } from "../e2e/cli.ts";
import { articleOf, startTaggedSite } from "../e2e/watched-site.ts";
import { startSite } from "../sites/site.ts";
import type { Journey } from "./journey.ts";

/** Somebody watches a site whose prices change, in the terminal, by a feed and by a webhook. A day takes 17 seconds. */

const SPEED = 5_000;
const PATIENCE_MS = 120_000;

/** The variables of the installation: its clock. */
export function fastClock(now = new Date()): Record<string, string> {
  return { ORBWEAVER_CLOCK: `${now.toISOString()} ${SPEED} ${now.toISOString()}` };
}

const prices = (euros: number) =>
  articleOf("Prices", [
    "All prices are for one lantern, with a year of oil.",
    `The small lantern costs ${euros} euros and fits on a window sill.`,
    "We ship on Mondays, and on other days if somebody is there.",
  ]);

export async function watchASite(journey: Journey): Promise<void> {
  const pages: Record<string, string> = {
    "/": articleOf("Lanterns", ["All about lanterns, and what they cost today."], "/prices", "/about"),
    "/prices": prices(12),
    "/about": articleOf("About us", ["We have made lanterns by hand for a hundred years."]),
  };
  const site = await startTaggedSite(pages, "127.0.0.1");
  const received: { headers: Record<string, string>; body: string }[] = [];
  const receiver = await startSite(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() });
    response.writeHead(204).end();
  });
  journey.sites.push(site, receiver);

  const server = await journey.step("orbweaver serve", async () =>
    placeIn(await journey.start("serve --port 0").printed("Token: ")),
  );
  const watch = await journey.step(`orbweaver watch ${site.origin}/ --every 1d, first crawl`, async () => {
    const running = journey.start(`watch ${site.origin}/ --every 1d --delay 0`);
    assert.match(await running.printed("visited again"), /Watching: 3 pages/);
    return running;
  });
  const secret = /whsec_\S+/;
  const added = await journey.run(`webhooks add latest ${receiver.origin}/hook --events pages.changed`, ({ stdout }) =>
    assert.match(stdout, secret),
  );
  const verify = new Webhook(secret.exec(added.stdout)?.[0] ?? "");
  const notices = () =>
    received
      .map(({ headers, body }) => verifyNow(verify, headers, body))
      .filter(({ type }) => type === "pages.changed");

  await journey.run("webhooks test latest", () => assert.equal(received.length, 1));
  await journey.step("a page changes: the watch prints it, and the webhook is told", async () => {
    pages["/prices"] = prices(14);
    const isTold = { printed: false };
    const printed = watch.printed("/prices").then(() => {
      isTold.printed = true;
    });
    printed.catch(() => undefined);
    const startedAt = performance.now();
    while (!isTold.printed || notices().length === 0) {
      assert(performance.now() - startedAt < PATIENCE_MS, JSON.stringify({ ...isTold, received }));
      await beat(server);
      await sleep(50);
    }
    const [notice] = notices();
    assert.deepEqual(
      notice?.data.changes.map(({ kind, url }) => [kind, url]),
      [["changed", `${site.origin}/prices`]],
    );
  });
  await journey.run("changes latest", ({ stdout }) => {
    assert.match(
      stdout,
      /^\d{4}-\d\d-\d\d \d\d:\d\d {2}changed {3}http:\S+\/prices {2}blocks: 1 modified: .*14 euros.*\n$/,
    );
  });
  await journey.run(`diff ${site.origin}/prices`, ({ stdout }) => assert.match(stdout, /12[\s\S]*14 euros/));
  await journey.run("feed latest", async ({ stdout }) => {
    const [atom = "", feed = ""] = stdout.match(/http\S+/g) ?? [];
    assert.match(await (await fetch(atom)).text(), /<entry>[\s\S]*\/prices/);
    const { items } = (await (await fetch(feed)).json()) as { items: { title: string }[] };
    assert.equal(items.length, 1);
  });
}

interface Notice {
  type: string;
  data: { changes: { kind: string; url: string }[] };
}

/** The library refuses a notice of another day, and the installation's clock is fast: it is signed anew for now. */
function verifyNow(verifier: Webhook, headers: Record<string, string>, body: string): Notice {
  const id = headers["webhook-id"] ?? "";
  const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1_000);
  assert.equal(headers["webhook-signature"], verifier.sign(id, sentAt, body));
  return JSON.parse(body) as Notice;
}
