import { escapeAttribute } from "../../media/html/tree/write-html.ts";
import { FINDING_KINDS } from "../problems/finding.ts";
import {
  CHANGE_COLUMNS,
  changeOf,
  changesOf,
  groupFindings,
  hopsBetween,
  listCounts,
  ownText,
  type ReportHead,
  tellComparison,
  type WriteReport,
} from "./report.ts";
import { REPORT_STYLE } from "./report-style.ts";

/**
 * The report as one HTML file that can be sent to somebody. Anchors, titles and URLs are words of others: all of them
 * are escaped, only http and https URLs become links, and the policy of the file forbids scripts and anything from
 * outside.
 */
export const writeHtmlReport: WriteReport = async function* (head, findings) {
  yield openDocument(head);
  yield* summarize(head);
  for await (const { finding, kind, group, isLastOfKind } of groupFindings(findings)) {
    if (kind !== null) {
      const [severity, title, explanation, mend] = FINDING_KINDS[kind];
      yield `<section id="${kind}"><h2>${title} <span class="tag ${severity}">${severity}</span></h2>\n`;
      yield `<p>${explanation} ${mend}</p>\n<div class="wide"><table><thead><tr><th scope="col">Page</th>`;
      yield `<th scope="col">Text</th><th scope="col">Place</th><th scope="col">Details</th></tr></thead>\n`;
    }
    if (group !== null || kind !== null) yield kind === null ? "</tbody>\n<tbody>\n" : "<tbody>\n";
    if (group !== null) {
      const shared = "target" in group ? link(group.target) : `<bdi>${quoteWords(group.text)}</bdi>`;
      yield `<tr class="group"><th scope="rowgroup" colspan="4">${shared}</th></tr>\n`;
    }
    const change = changeOf(head, finding);
    const mark = change === null ? "" : ` <span class="tag ${change}">${change}</span>`;
    const details = [...hopsBetween(finding).map((hop) => `over ${link(hop)}`), quoteWords(finding.detail ?? "")];
    yield `<tr class="${change ?? ""}"><td>${link(finding.page)}${mark}</td><td><bdi>${quoteWords(ownText(finding))}</bdi></td>`;
    yield `<td>${finding.place ?? ""}</td><td>${details.filter((each) => each !== "").join("<br>")}</td></tr>\n`;
    if (isLastOfKind) yield '</tbody></table></div>\n<p><a href="#top">Back to the summary</a></p></section>\n';
  }
  yield "</main></body></html>\n";
};

function openDocument(head: ReportHead): string {
  const title = `Site report: ${quoteWords(head.site)}`;
  const compared = head.comparedWith === null ? "" : ` ${quoteWords(tellComparison(head))}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">
<title>${title}</title><style>${REPORT_STYLE}</style></head>
<body id="top"><main><h1>${title}</h1>
<p>${head.pages} pages and ${head.links} links of crawl ${quoteWords(head.crawl)}, analyzed ${quoteWords(head.finishedAt)}.${compared}</p>
${head.leftOut.map((sentence) => `<p>${quoteWords(sentence)}</p>\n`).join("")}`;
}

function* summarize(head: ReportHead): Generator<string, void> {
  const counts = listCounts(head);
  if (counts.length === 0) {
    yield "<p>There are no findings.</p>\n";
    return;
  }
  yield '<table class="summary"><thead><tr><th scope="col">Finding</th><th scope="col">Severity</th>';
  const isCompared = head.comparedWith !== null;
  const changes = isCompared ? CHANGE_COLUMNS.map((name) => `<th scope="col">${name}</th>`).join("") : "";
  yield `<th scope="col">Found</th>${changes}</tr></thead><tbody>\n`;
  for (const { kind, ...count } of counts) {
    const [severity, title] = FINDING_KINDS[kind];
    yield `<tr><th scope="row"><a href="#${kind}">${title}</a></th><td><span class="tag ${severity}">${severity}</span></td>`;
    const numbers = [count.found, ...(isCompared ? changesOf(count) : [])];
    yield `${numbers.map((number) => `<td>${number}</td>`).join("")}</tr>\n`;
  }
  yield "</tbody></table>\n";
}

function link(url: string): string {
  const text = `<bdi>${quoteWords(url)}</bdi>`;
  return /^https?:\/\//i.test(url)
    ? `<a href="${quoteWords(url)}" rel="noopener noreferrer nofollow">${text}</a>`
    : text;
}

/** For texts and quoted attributes. HTML has no way to write most control characters. */
function quoteWords(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  return escapeAttribute(text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, "\ufffd"));
}
