import type { PageFields } from "../../crawl/page/field-check.ts";
import type { StoredPage } from "../../crawl/page/outcome.ts";
import type { FieldRules } from "../../media/html/fields/field-rule.ts";
import { kindOf } from "../../media/kind/kinds.ts";

/** Reads fields by rules from a page whose bytes are there, whether it was stored or has just come. */

export interface FieldsRequest {
  /** Canonical, after redirects. */
  url: string;
  rules: FieldRules;
  /** List what fields may be read from too. */
  propose: boolean;
}

/** Null for a document that is no HTML. Throws what the page's reader throws. */
export async function readPageFields(
  { body, contentType, headers }: StoredPage,
  { url, rules, propose }: FieldsRequest,
): Promise<PageFields | null> {
  const kind = kindOf(contentType);
  // The readers of heavy documents are in another Worker.
  if (!kind.isPage || kind.isHeavy === true) return null;
  const read = await kind.loadReader();
  const none = { agent: "", scriptLinks: false, requisites: false, formats: null, obeyNoindex: false };
  const document = await read(body, { url, contentType, headers }, { ...none, fields: rules, proposeFields: propose });
  if (document.fields === undefined) return null;
  const { title, language, fields, proposals = [] } = document;
  return { title, language, fields: [...fields], proposals: [...proposals] };
}
