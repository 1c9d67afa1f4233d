import { cleanMarkdown } from "../../changes/template/clean-markdown.ts";
import { cleanText } from "../../changes/template/clean-text.ts";
import type { OpenTemplate } from "../../crawl/page/crawl-template.ts";
import type { Formatted } from "../../crawl/page/page-format.ts";

/**
 * Leaves the template of its crawl out of a page's text, Markdown and JSON, and says so. Other formats stay as they
 * are. `headings`: those of the page. `template`: null if the text is wanted as it is, or if the crawl has none.
 */
export function leaveOutTemplate(
  url: string,
  formatted: Formatted,
  headings: readonly { text: string }[],
  template: OpenTemplate | null,
): Formatted {
  const { markdown, text, json } = formatted;
  if (markdown === undefined && text === undefined && json === undefined) return formatted;
  const own = template?.of(url) ?? null;
  if (own === null) return { ...formatted, template: null };
  const inMarkdown = markdown === undefined ? null : cleanMarkdown(markdown, own);
  const whole = text ?? json?.text;
  const inText = whole === undefined ? null : cleanText(whole, own, headings);
  return {
    ...formatted,
    ...(inMarkdown === null ? {} : { markdown: inMarkdown.text }),
    ...(text === undefined || inText === null ? {} : { text: inText.text }),
    ...(json === undefined || inText === null ? {} : { json: { ...json, text: inText.text } }),
    template: { pages: own.pages, removed: Math.max(inMarkdown?.removed ?? 0, inText?.removed ?? 0) },
  };
}
