import * as z from "zod";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import { fieldColumns } from "../../crawl/page/page-fields.ts";
import { valueColumns } from "../../crawl/page/value-columns.ts";
import { CHANGES_EVENT, type NoticeEvent } from "../../crawl/watch/notice.ts";
import { MAIL_KEYS, NOTICE_FORMATS, type Telling, type TemplateStyle } from "../../crawl/watch/notice-style.ts";
import { readFieldCondition, readTextCondition, WHEN_RULE, WHEN_TEXT_RULE } from "../../crawl/watch/tell-conditions.ts";
import { DIGEST_RULE, isDigest } from "../../crawl/watch/telling.ts";
import { findTemplateProblem, MAX_TEMPLATE, TEMPLATE_NAMES } from "../../notices/fill-template.ts";
import { headerMapError } from "../requests/fields.ts";
import { RequestProblem } from "../requests/request-problem.ts";

/** In which form a webhook is told, and when: the parts of its request, and what is wrong with them. */

const MAX_CONDITIONS = 20;
const MAX_CONDITION = 300;
const MAX_RECIPIENTS = 50;
const MAX_HEADERS = 20;
const conditions = z.array(z.string().max(MAX_CONDITION)).max(MAX_CONDITIONS).default([]);
/** Names of RFC 9110, 5.6.2; values without line breaks. */
const headers = z
  .record(
    z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/),
    z
      .string()
      .max(4_000)
      .regex(/^[\t\x20-\x7e\x80-\xff]*$/),
    { error: headerMapError },
  )
  .refine((given) => Object.keys(given).length <= MAX_HEADERS, `there are more than ${MAX_HEADERS}`);
/** One line without signs that would begin another header or address. */
const address = z
  .string()
  .max(320)
  .regex(/^(?:[^\r\n<>,;]{1,200}<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/, {
    message: "it is no address of e-mail, such as me@example.com or: Orbweaver <me@example.com>",
  });

export const formFields = {
  format: z
    .enum(NOTICE_FORMATS)
    .default("json")
    .describe(
      "The form of the notices: `json` (ours, which is signed), a ready form for `slack`, `discord`, `teams`, `ntfy`, or for e-mail by `resend`, `postmark` or `mailgun`, or `template`, with one of your own.",
    ),
  template: z
    .string()
    .max(MAX_TEMPLATE)
    .nullable()
    .default(null)
    .describe(
      `For the format \`template\`: JSON or a text, with ${TEMPLATE_NAMES.map((name) => `\`{{${name}}}\``).join(", ")}. What stands for them is escaped by the content type.`,
    ),
  headers: headers
    .default({})
    .describe("HTTP headers of every notice, such as the key of a provider. They are never shown. Not for `json`."),
  from: address.nullable().default(null).describe("The sender of e-mails."),
  to: z.array(address).max(MAX_RECIPIENTS).default([]).describe("The recipients of e-mails."),
};

export const tellingFields = {
  digest: z
    .string()
    .refine(isDigest, { message: `it ${DIGEST_RULE}` })
    .nullable()
    .default(null)
    .describe(
      "Gathers changes into digests: `hourly`, `daily` or `weekly` (Mondays), with a time in UTC as in `daily@07:00`. null tells changes as they come.",
    ),
  when: conditions.describe(
    "Conditions on fields, such as `price < 20`. A change is told if all hold, and one of the fields has changed or the page is new.",
  ),
  whenText: conditions.describe(
    "Conditions on the words that changed, such as `added:release`, `removed:beta` or `any:recall`. All must hold.",
  ),
};

type Form = { [Name in keyof typeof formFields]: z.output<(typeof formFields)[Name]> };
type Asked = { [Name in keyof typeof tellingFields]: z.output<(typeof tellingFields)[Name]> } & {
  events: NoticeEvent[] | null;
};
type PathOf = (name: string) => string;

/** Those that we send ourselves, or that belong to the connection. */
const OUR_HEADERS =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|user-agent|cookie|x-firecrawl-signature|webhook-.*|proxy-.*|cf-.*)$/;

/** Refuses a part of a request by its name. */
function refusing(pathOf: PathOf): (name: string, why: string) => never {
  return (name, why) => {
    throw new RequestProblem("invalid-request", `${pathOf(name)}: ${why}`, pathOf(name));
  };
}

/** Null for our own form. Throws RequestProblem. */
export function toStyle({ format, template, headers: given, from, to }: Form, pathOf: PathOf): TemplateStyle | null {
  const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  const refuse = refusing(pathOf);
  const ours = Object.keys(headers).find((name) => OUR_HEADERS.test(name));
  if (ours !== undefined) refuse("headers", `${ours} cannot be set.`);
  if (format === "json") {
    if (template !== null) refuse("template", "it needs the format template.");
    if (Object.keys(headers).length > 0)
      refuse("headers", "notices in our own form are signed instead. Choose another format.");
  }
  if (format === "template") {
    if (template === null) refuse("template", "the format template needs one.");
    const problem = findTemplateProblem(template ?? "", headers);
    if (problem !== null) refuse("template", `it ${problem}.`);
  } else if (template !== null) refuse("template", `the format ${format} has its own. Choose the format template.`);
  if (format !== "template" && headers["content-type"] !== undefined)
    refuse("headers", `the format ${format} has a content type of its own.`);
  checkMail({ format, headers, from, to }, refuse);
  return format === "json" ? null : { format, template, headers, from, to };
}

function checkMail(
  { format, headers, from, to }: Omit<Form, "template">,
  refuse: (name: string, why: string) => never,
): void {
  const key = MAIL_KEYS.get(format);
  if (key !== undefined) {
    if (from === null) refuse("from", `e-mail by ${format} needs a sender.`);
    if (to.length === 0) refuse("to", `e-mail by ${format} needs a recipient.`);
    if (headers[key.header.toLowerCase()] === undefined)
      refuse("headers", `e-mail by ${format} needs its key: "${key.header}: ${key.value}".`);
  } else if (format !== "template") {
    if (from !== null) refuse("from", "it is for e-mail: choose the format resend, postmark or mailgun.");
    if (to.length > 0) refuse("to", "it is for e-mail: choose the format resend, postmark or mailgun.");
  }
}

/** Null if each change is told as it comes. Throws RequestProblem. */
export function toTelling({ digest, when, whenText, events }: Asked, pathOf: PathOf): Telling | null {
  const refuse = refusing(pathOf);
  for (const one of when) if (readFieldCondition(one) === null) refuse("when", `"${one}" ${WHEN_RULE}.`);
  for (const one of whenText) if (readTextCondition(one) === null) refuse("whenText", `"${one}" ${WHEN_TEXT_RULE}.`);
  if (digest === null && when.length === 0 && whenText.length === 0) return null;
  if (events !== null && !events.includes(CHANGES_EVENT))
    refuse("events", `digests and conditions are of changes: add ${CHANGES_EVENT}.`);
  return { digest, when, whenText };
}

/**
 * Throws RequestProblem if a condition names a field that pages of the crawl cannot have: by its rules, and by the
 * schema of its extraction. A prompt without a schema names no values, so any may come, and so may a hook's.
 */
export function checkConditionFields(
  telling: Telling | undefined,
  { fields, extract }: Pick<CrawlOptions, "fields" | "extract">,
  { hasHook, path }: { hasHook: boolean; path: string },
): void {
  if (hasHook || (extract !== null && extract.schema === null)) return;
  const names = [
    ...fieldColumns(fields).map(({ name }) => name),
    ...valueColumns(extract).flatMap(({ name }) => name ?? []),
  ];
  for (const written of telling?.when ?? []) {
    const { field = "" } = readFieldCondition(written) ?? {};
    if (names.includes(field)) continue;
    const known =
      names.length === 0
        ? "It reads no fields: give it rules (docs/fields.md), or --extract with a schema (docs/extract.md)"
        : `Its fields: ${names.join(", ")}`;
    throw new RequestProblem("invalid-request", `${path}: the crawl has no field "${field}". ${known}.`, path);
  }
}
