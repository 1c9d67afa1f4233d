/** A webhook as the API takes it. */

/** What a webhook is told, and how. Absent is the default, or stays as it is. */
export interface WebhookForm {
  events?: string[] | undefined;
  format?: string | undefined;
  template?: string | undefined;
  headers?: Record<string, string> | undefined;
  from?: string | undefined;
  to?: string[] | undefined;
  digest?: string | null | undefined;
  when?: string[] | undefined;
  whenText?: string[] | undefined;
}

export interface WebhookOrder extends WebhookForm {
  url: string;
  secret?: string | undefined;
}
