import type { FC } from "hono/jsx";
import type { Mistake } from "../../api/requests/api-problem.ts";
import type { WebhookView } from "../../api/views.ts";
import { NOTICE_EVENTS } from "../../crawl/watch/notice.ts";
import { NOTICE_FORMATS } from "../../crawl/watch/notice-style.ts";
import { Submit, UrlInput } from "../parts/controls.tsx";
import { FieldGroup, FormField, type Problems } from "../parts/field.tsx";
import { sentence } from "../parts/numbers.tsx";

/** The form that adds a webhook, and the one that changes it. */

/** As they are typed: lists have a line for each entry. */
const TEXTS = ["url", "format", "template", "headers", "from", "to", "digest", "when", "whenText"] as const;
type TextName = (typeof TEXTS)[number];
export type WebhookForm = Record<TextName, string> & { events: string[] };

const NO_TEXTS = Object.fromEntries(TEXTS.map((name) => [name, ""])) as Record<TextName, string>;
export const EMPTY_FORM: WebhookForm = { ...NO_TEXTS, format: "json", events: [] };

const FORMAT_NAMES: Record<string, string> = {
  json: "JSON, signed",
  slack: "Slack",
  discord: "Discord",
  teams: "Microsoft Teams",
  ntfy: "ntfy",
  resend: "E-mail by Resend",
  postmark: "E-mail by Postmark",
  mailgun: "E-mail by Mailgun",
  template: "A template of your own",
};

export function formOfWebhook(webhook: WebhookView): WebhookForm {
  const { url, events, format, template, from, to, digest, when, whenText } = webhook;
  const lists = { to: to.join("\n"), when: when.join("\n"), whenText: whenText.join("\n") };
  const texts = { template: template ?? "", from: from ?? "", digest: digest ?? "", headers: "" };
  return { url, format, events: events ?? [], ...lists, ...texts };
}

export function readWebhookForm(body: Record<string, unknown>): WebhookForm {
  const texts = TEXTS.map((name) => [name, typeof body[name] === "string" ? body[name].trim() : ""] as const);
  const events = [body.events ?? []].flat().filter((event): event is string => typeof event === "string");
  return { ...EMPTY_FORM, ...Object.fromEntries(texts.filter(([, text]) => text !== "")), events };
}

/** The body of the API's request. */
export function requestOfForm({ events, url, format, template, headers, from, digest, ...lists }: WebhookForm) {
  const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return {
    url,
    events: events.length === 0 ? null : events,
    format,
    template: template === "" ? null : template,
    headers: Object.fromEntries(
      linesOf(headers).map((line) => {
        const [name = "", ...value] = line.split(":");
        return [name.trim(), value.join(":").trim()];
      }),
    ),
    from: from === "" ? null : from,
    to: linesOf(lists.to),
    digest: digest === "" ? null : digest,
    when: linesOf(lists.when),
    whenText: linesOf(lists.whenText),
  };
}

/** Mistakes by the fields of the form. One of no field stands at the URL. */
export function problemsOf(mistakes: readonly Mistake[]): Problems {
  const problems: Problems = {};
  for (const { message, path } of mistakes) {
    const name = TEXTS.find((one) => path?.split(".", 1)[0] === one) ?? (path === "events" ? "events" : "url");
    problems[name] = [...(problems[name] ?? []), sentence(message)];
  }
  return problems;
}

interface FormProps {
  id: string;
  /** The webhook that is changed; null for a new one. */
  changing: string | null;
  typed: WebhookForm;
  problems: Problems;
}

export const WebhookFormPanel: FC<FormProps> = ({ id, changing, typed, problems }) => {
  const line = (name: TextName, label: string, help: string) => (
    <FormField name={name} label={label} help={help} problems={problems}>
      {(described) => <input type="text" id={name} name={name} value={typed[name]} {...described} />}
    </FormField>
  );
  const lines = (name: TextName, label: string, help: string) => (
    <FormField name={name} label={label} help={help} problems={problems}>
      {(described) => (
        <textarea id={name} name={name} rows={3} spellcheck={false} {...described}>
          {typed[name]}
        </textarea>
      )}
    </FormField>
  );
  const at = `/crawls/${id}/webhooks`;
  return (
    <form class="panel" id="form" method="post" action={changing === null ? at : `${at}/${changing}/update`}>
      <h2>{changing === null ? "Add a webhook" : "Change the webhook"}</h2>
      <FormField name="url" label="URL" help="Notices are POST requests to this URL." problems={problems}>
        {(described) => <UrlInput id="url" name="url" value={typed.url} required {...described} />}
      </FormField>
      <FieldGroup
        name="events"
        label="Events"
        help="None selected means all events except crawl.started and crawl.page."
        problems={problems}
      >
        {() => (
          <div class="choices">
            {NOTICE_EVENTS.map((event) => (
              <label class="check">
                <input type="checkbox" name="events" value={event} checked={typed.events.includes(event)} />
                {event}
              </label>
            ))}
          </div>
        )}
      </FieldGroup>
      <FormField name="format" label="Form" help="Who reads it: a program, a chat or a mailbox." problems={problems}>
        {(described) => (
          <select id="format" name="format" {...described}>
            {NOTICE_FORMATS.map((format) => (
              <option value={format} selected={format === typed.format}>
                {FORMAT_NAMES[format]}
              </option>
            ))}
          </select>
        )}
      </FormField>
      {line(
        "digest",
        "Digest",
        "Gathers changes: hourly, daily or weekly, with a time in UTC as in daily@07:00. Empty: as they come.",
      )}
      {lines("when", "Only if fields are so", "A condition per line, such as: price < 20")}
      {lines("whenText", "Only if such words changed", "A condition per line, such as: added:release")}
      <details open={problems.headers !== undefined || problems.template !== undefined || typed.from !== ""}>
        <summary>Keys, e-mail and templates</summary>
        {lines(
          "headers",
          "Headers",
          changing === null
            ? "Such as the key of a provider: a name and a value per line, as in Authorization: Bearer KEY. They are not shown again."
            : "Those of the webhook stay, and are not shown. What you type replaces all of them.",
        )}
        {line("from", "Sender", "For e-mail.")}
        {lines("to", "Recipients", "For e-mail, one per line.")}
        {lines("template", "Template", "JSON or a text, with {{subject}}, {{text}}, {{url}} and others.")}
      </details>
      <Submit class="primary">{changing === null ? "Add webhook" : "Save"}</Submit>
    </form>
  );
};
