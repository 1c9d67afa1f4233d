import { escapeMarkdown, linkTarget } from "../../media/html/markdown/markdown-escape.ts";
import { FINDING_KINDS } from "../problems/finding.ts";
import {
  CHANGE_COLUMNS,
  changeOf,
  changesOf,
  groupFindings,
  hopsBetween,
  listCounts,
  ownText,
  tellComparison,
  type WriteReport,
} from "./report.ts";

/** The report as CommonMark with a table as GitHub has it. Words of others are escaped, and stand in one line. */
export const writeMarkdownReport: WriteReport = async function* (head, findings) {
  yield `# Site report: ${quoteWords(head.site)}\n\n`;
  yield `Crawl ${quoteWords(head.crawl)}, analyzed ${head.finishedAt}: ${head.pages} pages, ${head.links} links.\n`;
  if (head.comparedWith !== null) yield `${quoteWords(tellComparison(head))}\n`;
  for (const sentence of head.leftOut) yield `${quoteWords(sentence)}\n`;
  const isFirst = head.comparedWith === null;
  yield `\n| Finding | Severity | Found |${isFirst ? "" : ` ${CHANGE_COLUMNS.join(" | ")} |`}\n`;
  yield `| --- | --- | ---: |${isFirst ? "" : " ---: | ---: | ---: |"}\n`;
  for (const { kind, ...count } of listCounts(head)) {
    const [severity, title] = FINDING_KINDS[kind];
    yield `| ${title} | ${severity} | ${count.found} |${isFirst ? "" : ` ${changesOf(count).join(" | ")} |`}\n`;
  }
  for await (const { finding, kind, group } of groupFindings(findings)) {
    if (kind !== null) yield `\n## ${FINDING_KINDS[kind][1]}\n\n${FINDING_KINDS[kind][2]} ${FINDING_KINDS[kind][3]}\n`;
    if (group !== null) yield `\n### ${"target" in group ? link(group.target) : quoteWords(group.text)}\n`;
    if (kind !== null || group !== null) yield "\n";
    const text = ownText(finding);
    const change = changeOf(head, finding);
    const facts = [
      ...(change === null ? [] : [`**${change}**`]),
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
