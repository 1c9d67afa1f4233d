import { linesOfPage, SiblingCounts } from "../../src/changes/template/sibling-lines.ts";
import { OpenTemplate } from "../../src/crawl/page/crawl-template.ts";
import { readHtml } from "../../src/media/html/tree/read-html.ts";
import { findInGroup, joinTemplate, planTemplate, type TemplatePlan } from "../../src/passes/template/plan-template.ts";

/** Reads the pages of a site as a crawl does, and learns their template as at its end. */

export interface ReadPage {
  url: string;
  text: string;
  markdown: string;
  headings: readonly { text: string }[];
}

export function readSitePage(url: string, html: string | Uint8Array): ReadPage {
  const body = typeof html === "string" ? new TextEncoder().encode(html) : html;
  const source = { url, contentType: "text/html; charset=utf-8", headers: [] };
  const wanted = { agent: "test", scriptLinks: false, requisites: false, obeyNoindex: false } as const;
  const { content } = readHtml(body, source, { ...wanted, formats: ["text", "markdown"] });
  const { text = "", markdown = "" } = content ?? {};
  return { url, text, markdown, headings: content?.metadata.headings ?? [] };
}

/** Null if the pages have nothing in common. `groups`: the siblings that were compared. */
export function learnSite(pages: readonly ReadPage[]): { template: OpenTemplate | null; plan: TemplatePlan } {
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  const plan = planTemplate([...byUrl.keys()].sort(), 1);
  const found = plan.groups.map((group) => {
    const counts = new SiblingCounts();
    for (const url of group.urls) counts.add(linesOfPage(byUrl.get(url) as ReadPage));
    return findInGroup(counts, group);
  });
  const template = joinTemplate(plan, found);
  return { template: template === null ? null : new OpenTemplate(template), plan };
}
