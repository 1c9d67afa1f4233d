import { escapeMarkdown, linkTarget } from "../../media/html/markdown/markdown-escape.ts";
import { FINDING_KINDS } from "../problems/finding.ts";
import { groupFindings, hopsBetween, listCounts, ownText, type WriteReport } from "./report.ts";

/** The report as CommonMark with a table as GitHub has it. Words of others are escaped, and stand in one line. */
export const writeMarkdownReport: WriteReport = async function* (head, findings) {
  yield `# Site report: ${quoteWords(head.site)}\n\n`;
  yield `Crawl ${quoteWords(head.crawl)}, analyzed ${head.finishedAt}: ${head.pages} pages, ${head.links} links.\n`;
  if (head.comparedWith !== null) yield `Compared with the analysis of ${head.comparedWith}.\n`;
  for (const sentence of head.leftOut) yield `${quoteWords(sentence)}\n`;
  const isFirst = head.comparedWith === null;
  yield `\n| Finding | Severity | Found |${isFirst ? "" : " New | Mended |"}\n`;
  yield `| --- | --- | ---: |${isFirst ? "" : " ---: | ---: |"}\n`;
  for (const { kind, found, new: fresh, mended } of listCounts(head)) {
    const [severity, title] = FINDING_KINDS[kind];
    yield `| ${title} | ${severity} | ${found} |${isFirst ? "" : ` ${fresh} | ${mended} |`}\n`;
  }
  for await (const { finding, kind, group } of groupFindings(findings)) {
    if (kind !== null) yield `\n## ${FINDING_KINDS[kind][1]}\n\n${FINDING_KINDS[kind][2]}\n`;
    if (group !== null) yield `\n### ${"target" in group ? link(group.target) : quoteWords(group.text)}\n`;
    if (kind !== null || group !== null) yield "\n";
    const text = ownText(finding);
    const facts = [
      ...(isFirst || finding.change === "same" ? [] : [`**${finding.change}**`]),
      ...(text === "" ? [] : [`“${quoteWords(text)}”`]),
      ...(finding.place === undefined ? [] : [finding.place]),
      ...hopsBetween(finding).map((hop) => `over ${link(hop)}`),
      ...(finding.detail === undefined ? [] : [quoteWords(finding.detail)]),
    ];
    yield `- ${[link(finding.page), ...facts].join(", ")}\n`;
  }
};

/** Only http and https URLs become links. */
function link(url: string): string {
  const text = quoteWords(url);
  return /^https?:\/\//i.test(url) ? `[${text}](${linkTarget(url)})` : text;
}

/** Nothing of it is Markdown, and it stays in its line. */
function quoteWords(text: string): string {
  return escapeMarkdown(text.replace(/\s+/g, " "));
}
