import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { NewWebhookView, WebhookView } from "../../src/api/views.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import { crawl, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** Forms of notices, from the command line to receivers on loopback that read them as the services do. */

const { dir, sites } = shareServer();
const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

async function receive(): Promise<{ origin: string; got: Received[] }> {
  const got: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    got.push({ path: request.url ?? "", headers: request.headers, body });
    response.writeHead(200).end("ok");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

test("each form comes to its service as that reads it, and can be changed", async () => {
  const site = await startHandmadeSite({ "/": page("home") }, { host: "127.0.0.61" });
  sites.push(site);
  const state = join(dir.path, "forms");
  const { summary } = await crawl(state, `${site.origin}/`, "--delay", "0", "--source", "links");
  const at = ["--state", join(state, "state")];
  const { origin, got } = await receive();
  const template = join(dir.path, "template.json");
  writeFileSync(template, '{"msgtype": "m.text", "body": "{{subject}}", "all": "{{data}}"}');
  const mail = ["--from", "Watch <watch@a.test>", "--to", "me@b.test", "--to", "you@b.test"];
  const added = async (path: string, ...flags: string[]) => {
    const { stdout, stderr, code } = await run(
      "webhooks",
      "add",
      summary.id,
      `${origin}${path}`,
      ...flags,
      "--json",
      ...at,
    );
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as NewWebhookView;
  };
  const hooks = [
    await added("/slack", "--format", "slack"),
    await added("/topic", "--format", "ntfy", "--header", "Authorization: Bearer tk_x", "--header", "Priority: 4"),
    await added("/emails", "--format", "resend", "--header", "Authorization: Bearer re_x", ...mail),
    await added("/v3/a.test/messages", "--format", "mailgun", "--header", "Authorization: Basic eA==", ...mail),
    await added("/own", "--template", template),
  ];
  expect(JSON.stringify(hooks)).not.toMatch(/tk_x|re_x|eA==/);
  for (const { id } of hooks) expect((await run("webhooks", "test", summary.id, id, ...at)).code).toBe(0);
  const of = (path: string) => got.find((one) => one.path === path) as Received;
  const subject = "A test notice of Orbweaver";
  expect(JSON.parse(of("/slack").body)).toMatchObject({ text: expect.stringContaining(`*${subject}*\n`) });
  expect(of("/topic").headers).toMatchObject({ authorization: "Bearer tk_x", priority: "4" });
  expect(of("/topic").headers["content-type"]).toMatch(/^text\/plain/);
  expect(of("/topic").body).toMatch(new RegExp(`^${subject}\n\n`));
  expect(of("/emails").headers).toMatchObject({ authorization: "Bearer re_x", "content-type": "application/json" });
  expect(of("/emails").headers["idempotency-key"]).toBe(of("/emails").headers["webhook-id"]);
  expect(JSON.parse(of("/emails").body)).toMatchObject({ subject, to: ["me@b.test", "you@b.test"] });
  const form = Object.fromEntries(new URLSearchParams(of("/v3/a.test/messages").body));
  expect(form).toMatchObject({ from: "Watch <watch@a.test>", to: "me@b.test, you@b.test", subject });
  expect(JSON.parse(of("/own").body)).toMatchObject({ msgtype: "m.text", body: subject, all: { crawl: summary.id } });

  const [slack] = hooks as [NewWebhookView];
  const update = (...flags: string[]) => run("webhooks", "update", summary.id, slack.id, ...flags, "--json", ...at);
  const changed = JSON.parse(
    (await update("--digest", "daily@17:30", "--when-text", "added:release")).stdout,
  ) as WebhookView;
  expect(changed).toMatchObject({ format: "slack", digest: "daily@17:30", whenText: ["added:release"] });
  expect(changed.nextDigestAt).toMatch(/T17:30:00/);
  const none = JSON.parse((await update("--no-digest", "--no-when-text")).stdout) as WebhookView;
  expect(none).toMatchObject({ digest: null, nextDigestAt: null, whenText: [], url: slack.url });
  for (const [flags, why] of [
    [["--when", "price < 20"], 'the crawl has no field "price"'],
    [["--digest", "monthly"], "daily@07:00"],
    [["--format", "resend"], "needs a sender"],
    [["--format", "resend", ...mail], "Authorization: Bearer KEY"],
  ] as const) {
    const { code, stderr } = await update(...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  }
});
