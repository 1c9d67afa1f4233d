/** In which form a webhook is told: our own JSON, or a template; and when. docs/webhooks.md */

/** The services that have a ready template. */
export const READY_FORMATS = ["slack", "discord", "teams", "ntfy", "resend", "postmark", "mailgun"] as const;
export type ReadyFormat = (typeof READY_FORMATS)[number];

/** Those that send e-mail, so that they need addresses, and the header with the key that each asks for. */
export const MAIL_KEYS: ReadonlyMap<NoticeFormat, { header: string; value: string }> = new Map([
  ["resend", { header: "Authorization", value: "Bearer KEY" }],
  ["postmark", { header: "X-Postmark-Server-Token", value: "KEY" }],
  ["mailgun", { header: "Authorization", value: "Basic and base64 of api:KEY" }],
]);

/** `json`: our own form. `template`: one that the user wrote. */
export const NOTICE_FORMATS = ["json", ...READY_FORMATS, "template"] as const;
export type NoticeFormat = (typeof NOTICE_FORMATS)[number];

/** A webhook that is told by a template. */
export interface TemplateStyle {
  format: ReadyFormat | "template";
  /** The user's own; null for a ready one. */
  template: string | null;
  /** Headers of every notice, with names in lower case. They may hold a key. */
  headers: Record<string, string>;
  /** Addresses of e-mail; null and none for the others. */
  from: string | null;
  to: readonly string[];
}

/** When a webhook is told of changes, and of which. */
export interface Telling {
  /** Null: as they come. Else a digest, as `daily@07:00`. */
  digest: string | null;
  /** Conditions on fields, as `price < 20`. All must hold. */
  when: readonly string[];
  /** Conditions on the words that changed, as `added:release`. All must hold. */
  whenText: readonly string[];
}
