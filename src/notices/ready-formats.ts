import type { ReadyFormat, TemplateStyle } from "../crawl/watch/notice-style.ts";

/** The templates of services that people use, and their limits. They are filled as templates of users are. */

interface ReadyTemplate {
  /** JSON, or a text by its content type. */
  template: string;
  contentType?: string;
  /** Bytes of the words in one notice, after they were escaped. */
  mostBytes: number;
  /** Escapes what is markup to the service. */
  escape?: (text: string) => string;
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping: so a page mentions nobody. */
const escapeSlack = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const escapeMarkdown = (text: string) => text.replace(/[\\`*_~|[\]#>]/g, "\\$&");

const READY: Record<ReadyFormat, ReadyTemplate> = {
  // Texts of up to 40,000 characters: https://docs.slack.dev/reference/methods/chat.postMessage#truncating
  slack: {
    template: JSON.stringify({ text: "*{{subject}}*\n{{text}}", unfurl_links: false }),
    mostBytes: 30_000,
    escape: escapeSlack,
  },
  // https://discord.com/developers/docs/resources/webhook#execute-webhook: 2,000 characters, and nobody is mentioned.
  discord: {
    template: JSON.stringify({ content: "**{{subject}}**\n{{text}}", allowed_mentions: { parse: [] } }),
    mostBytes: 1_600,
    escape: escapeMarkdown,
  },
  // A workflow takes 28 KB: https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/
  teams: {
    template: JSON.stringify({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            version: "1.4",
            body: [
              { type: "TextBlock", weight: "Bolder", wrap: true, text: "{{subject}}" },
              { type: "TextBlock", wrap: true, text: "{{text}}" },
            ],
          },
        },
      ],
    }),
    mostBytes: 20_000,
    escape: escapeMarkdown,
  },
  // A message of more than 4,096 bytes becomes an attachment: https://docs.ntfy.sh/publish/#limitations
  ntfy: { template: "{{subject}}\n\n{{text}}", contentType: "text/plain; charset=utf-8", mostBytes: 3_600 },
  // https://resend.com/docs/api-reference/emails/send-email
  resend: {
    template: JSON.stringify({ from: "{{from}}", to: ["{{to}}"], subject: "{{subject}}", text: "{{text}}" }),
    mostBytes: 200_000,
  },
  // https://postmarkapp.com/developer/api/email-api
  postmark: {
    template: JSON.stringify({ From: "{{from}}", To: "{{to}}", Subject: "{{subject}}", TextBody: "{{text}}" }),
    mostBytes: 200_000,
  },
  // https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/send-http
  mailgun: {
    template: "from={{from}}&to={{to}}&subject={{subject}}&text={{text}}",
    contentType: "application/x-www-form-urlencoded",
    mostBytes: 200_000,
  },
};

/** An own template has no limit that we know: a notice of it is at most that of a chat. */
const OWN_BYTES = 30_000;

export function templateOf({ format, template }: TemplateStyle): Pick<ReadyTemplate, "template" | "contentType"> {
  return format === "template" ? { template: template ?? "" } : READY[format];
}

export function mostBytesOf({ format }: TemplateStyle): number {
  return format === "template" ? OWN_BYTES : READY[format].mostBytes;
}

export function escapeFor({ format }: TemplateStyle): (text: string) => string {
  return (format === "template" ? undefined : READY[format].escape) ?? ((text) => text);
}
