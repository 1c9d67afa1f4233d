import type { Command } from "commander";
import type { DeliveryView, NewWebhookView, WebhookView } from "../../api/views.ts";
import { minuteOf } from "../../core/shown-values.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { UserError } from "../errors.ts";
import { CRAWL_HELP, whereOptions } from "../flags/shared-options.ts";
import { toWebhookForm, type WebhookFlags, webhookOptions } from "../flags/webhook-flags.ts";
import {
  type Installation,
  readInstallation,
  type WhereOptions,
  withInstallation,
} from "../installation/installation.ts";
import type { WebhookOrder } from "../installation/webhook-form.ts";
import { commandAt } from "../output/go-on.ts";
import { printable, table } from "../output/terminal-text.ts";
import { waitForNotices } from "../output/wait-for-notices.ts";

/** `orbweaver webhooks`: who is told of a crawl's events, and what came of it. */

interface Flags extends WhereOptions, WebhookFlags {
  json?: boolean;
  url?: string;
}

/** `--no-digest`, `--no-when` and `--no-when-text` are false. */
type ChangeFlags = Omit<Flags, "digest" | "when" | "whenText"> & {
  digest?: string | false;
  when?: string[] | false;
  whenText?: string[] | false;
};

export function addWebhooksCommand(program: Command): void {
  const webhooks = program
    .command("webhooks")
    .description("Manage the webhooks of a crawl, which are told when it ends or is paused, and what a watch notices.");
  webhooks.addHelpText(
    "after",
    `
Notices are signed POST requests by the Standard Webhooks specification: docs/webhooks.md.
On this machine they are sent while a crawl or \`orbweaver serve\` runs.

Such as:
  webhooks add 3f2a https://example.com/hook --events crawl.completed,crawl.failed
  webhooks add 3f2a https://example.com/hook --events pages.changed
  webhooks add 3f2a https://hooks.slack.com/services/... --format slack --digest daily@07:00
  webhooks update 3f2a --when "price < 20"
  webhooks test 3f2a
  webhooks deliveries 3f2a`,
  );
  const subcommand = (name: string, description: string) =>
    whereOptions(webhooks.command(name).description(description).argument("<id>", CRAWL_HELP)).option(
      "--json",
      "print JSON",
    );

  subcommand("list", "List the webhooks of a crawl.").action(async (id: string, flags: Flags) => {
    const listed = await readInstallation(flags, "ledger", ({ client }) => client.webhooks(id));
    print(flags, listed, describeWebhooks(id, listed, flags));
  });

  webhookOptions(
    subcommand("add", "Add a webhook to a crawl, and print its secret.").argument("<url>", "where notices are sent"),
  ).action(async (id: string, url: string, flags: Flags) => {
    const order = { url: withScheme(url), secret: flags.secret, ...toWebhookForm(formOf(flags), false) };
    const added = await withInstallation(flags, ({ client }) => client.addWebhook(id, order));
    print(flags, added, describeNew(added));
  });

  webhookOptions(
    subcommand("update", "Change what a webhook is told, and how. What is not named stays.")
      .argument("[webhook]", "the webhook (default: the crawl's only one)")
      .option("--url <url>", "where notices are sent"),
    ["secret"],
  )
    .option("--no-digest", "tell changes as they come")
    .option("--no-when", "without conditions on fields")
    .option("--no-when-text", "without conditions on words")
    .action(async (id: string, given: string | undefined, flags: ChangeFlags) => {
      const webhook = await withInstallation(flags, async ({ client }) =>
        client.changeWebhook(id, given ?? onlyOne(await client.webhooks(id)), toChange(flags)),
      );
      print(flags, webhook, describeWebhooks(id, [webhook], flags));
    });

  subcommand("remove", "Remove a webhook, with its deliveries.")
    .argument("[webhook]", "the webhook (default: the crawl's only one)")
    .action(async (id: string, given: string | undefined, flags: Flags) => {
      const webhook = await withInstallation(flags, async ({ client }) =>
        client.removeWebhook(id, given ?? onlyOne(await client.webhooks(id))),
      );
      print(flags, { id: webhook }, [`Webhook ${webhook} is removed.`]);
    });

  subcommand("test", "Send a test notice, and wait for its delivery.")
    .argument("[webhook]", "the webhook (default: the crawl's only one)")
    .action(async (id: string, given: string | undefined, flags: Flags) => {
      await withInstallation(flags, async (at) => {
        const webhook = given ?? onlyOne(await at.client.webhooks(id));
        await showOutcome(id, await at.client.testWebhook(id, webhook), at, flags);
      });
    });

  subcommand("deliveries", "List the newest notices of a crawl, with their attempts.").action(
    async (id: string, flags: Flags) => {
      const deliveries = await readInstallation(flags, "ledger", ({ client }) => client.deliveries(id));
      print(flags, deliveries, describeDeliveries(deliveries));
    },
  );

  subcommand("redeliver", "Send a notice again, with the same id, and wait for its delivery.")
    .argument("<delivery>", "the id of the notice, as in `webhooks deliveries`")
    .action(async (id: string, delivery: string, flags: Flags) => {
      await withInstallation(flags, async (at) => {
        await showOutcome(id, await at.client.redeliver(id, delivery), at, flags);
      });
    });
}

/** Those of the webhook, without those of the command. */
function formOf({ events, secret, format, template, header, from, to, digest, when, whenText }: Flags): WebhookFlags {
  const given = { events, secret, format, template, header, from, to, digest, when, whenText };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** A flag with `no-` is true unless it is given, so it says nothing then. */
function toChange({ digest, when, whenText, url, ...flags }: ChangeFlags): Partial<WebhookOrder> {
  return {
    ...(url === undefined ? {} : { url: withScheme(url) }),
    ...toWebhookForm(formOf(flags), false),
    ...(typeof digest === "string" ? { digest } : digest === false ? { digest: null } : {}),
    ...(Array.isArray(when) ? { when } : when === false ? { when: [] } : {}),
    ...(Array.isArray(whenText) ? { whenText } : whenText === false ? { whenText: [] } : {}),
  };
}

function print(flags: Pick<Flags, "json">, value: unknown, lines: string[]): void {
  if (flags.json) console.log(JSON.stringify(value));
  else for (const line of lines) console.log(printable(line));
}

/** Waits for one delivery. Exits with 1 if it is not delivered. */
async function showOutcome(id: string, sent: DeliveryView, { client }: Installation, flags: Flags): Promise<void> {
  const deliveries = await waitForNotices(id, client);
  const now = deliveries.find((one) => one.id === sent.id) ?? sent;
  const why = now.detail === null ? "" : `: ${now.detail}`;
  const next = now.nextAt === null ? "" : `. Next attempt: ${minuteOf(now.nextAt)} UTC`;
  const line =
    now.status === "delivered" ? `Notice ${now.id} is delivered.` : `Notice ${now.id} is not delivered${why}${next}`;
  print(flags, now, [line]);
  if (now.status !== "delivered") process.exitCode = 1;
}

function onlyOne(webhooks: WebhookView[]): string {
  const [first, ...others] = webhooks;
  if (first === undefined) throw new UserError("This crawl has no webhooks.");
  if (others.length > 0) throw new UserError("This crawl has several webhooks: name one, as in `webhooks list`.", 2);
  return first.id;
}

function describeNew({ id, url, secret }: NewWebhookView): string[] {
  return [`Webhook ${id} sends notices to ${url}.`, describeSecret(secret)];
}

export function describeSecret(secret: string): string {
  return `Its secret, which is not shown again: ${secret}`;
}

function describeWebhooks(id: string, webhooks: WebhookView[], where: WhereOptions): string[] {
  if (webhooks.length === 0)
    return [
      `Crawl ${id} has no webhooks yet. Add one: ${commandAt(`webhooks add ${id} https://example.com/hook`, where)}`,
    ];
  const rows = webhooks.map(({ id, url, events, format, digest, when, whenText, disabledAt, disabledWhy }) => [
    id,
    disabledAt === null ? "enabled" : `disabled: ${disabledWhy}`,
    events?.join(",") ?? "all",
    [format, ...(digest === null ? [] : [digest]), ...when, ...whenText].join("; "),
    url,
  ]);
  return table([["ID", "STATE", "EVENTS", "FORM", "URL"], ...rows]).split("\n");
}

function describeDeliveries(deliveries: DeliveryView[]): string[] {
  if (deliveries.length === 0) return ["No notices yet."];
  const rows = deliveries.map(({ id, event, status, attempts, madeAt, nextAt, detail }) => [
    id,
    event,
    status,
    String(attempts),
    minuteOf(madeAt),
    nextAt === null ? "" : minuteOf(nextAt),
    detail ?? "",
  ]);
  return table([["ID", "EVENT", "STATE", "ATTEMPTS", "MADE (UTC)", "NEXT", "LAST FAILURE"], ...rows]).split("\n");
}
