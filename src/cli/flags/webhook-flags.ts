import { type Command, Option } from "commander";
import { UserError } from "../errors.ts";
import type { WebhookForm } from "../installation/webhook-form.ts";
import { readText } from "./fields-file.ts";
import { collect, commaList } from "./shared-options.ts";

/** The flags of a webhook: which events it is told, in which form, and when. */

const EVENTS_HELP =
  "tell only these events: crawl.started, crawl.page, crawl.completed, crawl.failed, crawl.paused, pages.changed, watch.trouble (default: all but the first two)";
const SECRET_HELP = "the secret that signs the notices: whsec_ and base64 (default: a new one, printed once)";
const FORMAT_HELP = "json, slack, discord, teams, ntfy, resend, postmark, mailgun or template (default: json, signed)";

/** By the names that they have in `webhooks add`. */
export interface WebhookFlags {
  events?: string[];
  secret?: string;
  format?: string;
  template?: string;
  header?: string[];
  from?: string;
  to?: string[];
  digest?: string;
  when?: string[];
  whenText?: string[];
}

interface Flag {
  /** In `webhooks add`, and in the commands that start a crawl. */
  flags: string;
  besideCrawl: string;
  help: string;
  parse?: (value: string, before: string[] | undefined) => string[];
  /** Whether it is of changes, which a watch alone has. */
  isOfWatch?: true;
}

const FLAGS: Record<keyof WebhookFlags, Flag> = {
  events: { flags: "--events <list>", besideCrawl: "--webhook-events <list>", help: EVENTS_HELP, parse: commaList },
  secret: { flags: "--secret <secret>", besideCrawl: "--webhook-secret <secret>", help: SECRET_HELP },
  format: { flags: "--format <format>", besideCrawl: "--webhook-format <format>", help: FORMAT_HELP },
  template: {
    flags: "--template <file>",
    besideCrawl: "--webhook-template <file>",
    help: "a file with a template of your own: JSON or a text, with {{subject}}, {{text}} and others",
  },
  header: {
    flags: "--header <name:value>",
    besideCrawl: "--webhook-header <name:value>",
    help: "a header of every notice, such as the key of a provider; may be repeated",
    parse: collect,
  },
  from: { flags: "--from <address>", besideCrawl: "--mail-from <address>", help: "the sender of e-mails" },
  to: {
    flags: "--to <address>",
    besideCrawl: "--mail-to <address>",
    help: "a recipient of e-mails; may be repeated",
    parse: collect,
  },
  digest: {
    flags: "--digest <when>",
    besideCrawl: "--digest <when>",
    help: "gather changes: hourly, daily or weekly, with a time (UTC) as in daily@07:00",
    isOfWatch: true,
  },
  when: {
    flags: "--when <condition>",
    besideCrawl: "--when <condition>",
    help: 'tell only changes after which a field is so, as in "price < 20"; may be repeated, and all must hold',
    parse: collect,
    isOfWatch: true,
  },
  whenText: {
    flags: "--when-text <condition>",
    besideCrawl: "--when-text <condition>",
    help: "tell only changes of such words: added:release, removed:beta or any:recall; may be repeated, and all must hold",
    parse: collect,
    isOfWatch: true,
  },
};
const ENTRIES = Object.entries(FLAGS) as [keyof WebhookFlags, Flag][];

/** `webhooks add` and `webhooks update`. */
export function webhookOptions(command: Command, without: readonly (keyof WebhookFlags)[] = []): Command {
  for (const [name, { flags, help, parse }] of ENTRIES)
    if (!without.includes(name)) addFlag(command, flags, help, parse);
  return command;
}

/** The commands that start a crawl, beside `--webhook`. */
export function webhookOptionsOfCrawl(command: Command, isWatch: boolean): void {
  for (const [, { besideCrawl, help, parse, isOfWatch }] of ENTRIES)
    if (isWatch || isOfWatch !== true) addFlag(command, besideCrawl, help, parse);
}

function addFlag(command: Command, flags: string, help: string, parse: Flag["parse"]): void {
  if (parse === undefined) command.option(flags, help);
  else command.option(flags, help, parse);
}

/** The flags of a command that starts a crawl, by their names in `webhooks add`. */
export function flagsBesideCrawl(given: Readonly<Record<string, unknown>>): WebhookFlags {
  const values = ENTRIES.flatMap(([name, { besideCrawl }]) => {
    const value = given[new Option(besideCrawl).attributeName()];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(values) as WebhookFlags;
}

/** The flag beside `--webhook` of a parameter of a webhook, such as `events`. */
export function flagOfWebhook(name: string): string | undefined {
  if (name === "url") return "--webhook";
  const { besideCrawl } = FLAGS[(name === "headers" ? "header" : name) as keyof WebhookFlags] ?? {};
  return besideCrawl?.split(" ", 1)[0];
}

/** The first of them that is given without `--webhook`. */
export function nameOfFirst(given: WebhookFlags): string | undefined {
  const [name] = Object.keys(given) as (keyof WebhookFlags)[];
  return name === undefined ? undefined : FLAGS[name].besideCrawl.split(" ", 1)[0];
}

/** The parts of a request. `isBesideCrawl`: which names the flags have. Throws UserError. */
export function toWebhookForm(
  { secret: _, template, header, ...form }: WebhookFlags,
  isBesideCrawl: boolean,
): WebhookForm {
  const flagOf = (name: "header" | "template") =>
    (isBesideCrawl ? FLAGS[name].besideCrawl : FLAGS[name].flags).split(" ", 1)[0] ?? "";
  const headers =
    header === undefined ? {} : { headers: Object.fromEntries(header.map((each) => toHeader(flagOf("header"), each))) };
  if (template === undefined) return { ...form, ...headers };
  return { format: "template", ...form, ...headers, template: readText(flagOf("template"), template) };
}

/** `flag`: the one that has the header. Throws UserError. */
export function toHeader(flag: string, header: string): [string, string] {
  const colon = header.indexOf(":");
  if (colon < 1) throw new UserError(`${flag} ${header} is not NAME:VALUE.`, 2);
  return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()];
}
