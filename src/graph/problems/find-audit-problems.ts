import type { PageAudit } from "../../media/document.ts";
import { hostKey } from "../../url/host-key.ts";
import type { LinkedPage } from "../linked-page.ts";
import { hashName, type SiteNotes } from "../page-notes.ts";
import { hasPair } from "../pairs.ts";
import { findBroken } from "./find-broken.ts";
import { type Finding, makeFinding } from "./finding.ts";
import type { SiteFacts } from "./site-facts.ts";

/** What is wrong with the headings of a page, its images, and what it loads. */

/** As Screaming Frog has it. */
const LONG_HEADING = 70;

/** `isCanonical`: the page names no other one. */
export function* findAuditProblems(
  page: LinkedPage,
  audit: PageAudit,
  isCanonical: boolean,
  site: SiteFacts,
  notes: SiteNotes,
): Generator<Finding, void> {
  if (isCanonical) yield* findHeadingProblems(page.url, audit, notes);
  if (audit.unlabelled > 0) yield makeFinding("image-alt-missing", { page: page.url, detail: describeImages(audit) });
  const isSecure = page.url.startsWith("https:");
  for (const { url, kind } of audit.resources) {
    const facts = { page: page.url, target: url, text: kind };
    const broken = findBroken(url, site);
    if (broken !== null) yield makeFinding("broken-resource", { ...facts, detail: broken.detail });
    if (isSecure && url.startsWith("http:")) yield makeFinding("mixed-content", facts);
  }
}

function* findHeadingProblems(page: string, audit: PageAudit, notes: SiteNotes): Generator<Finding, void> {
  const { headings, firstHeading: text } = audit;
  if (headings === 0 || (headings === 1 && text === ""))
    yield makeFinding("h1-missing", { page, ...(headings === 0 ? {} : { detail: "it is empty" }) });
  if (headings > 1) yield makeFinding("h1-multiple", { page, detail: `${headings} of them` });
  if (text === "") return;
  if (text.length > LONG_HEADING) yield makeFinding("h1-long", { page, text, detail: `${text.length} characters` });
  if (hasPair(notes.headings, ...hashName(text))) yield makeFinding("h1-duplicate", { page, text });
}

function describeImages({ unlabelled, unlabelledExamples: [example] }: PageAudit): string {
  const count = unlabelled === 1 ? "1 image" : `${unlabelled} images`;
  return example === undefined ? count : `${count}, such as ${example}`;
}

/** Whether two URLs are of one host. */
export function isOfHost(url: string, other: string): boolean {
  return hostKey(url) === hostKey(other);
}
