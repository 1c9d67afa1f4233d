import * as z from "zod";
import { FINDING_KINDS, type FindingKind } from "../../graph/problems/finding.ts";
import { REFUSALS } from "../../scope/refusal.ts";
import { findingsQuery, findingsView } from "../analysis/finding-schemas.ts";
import { reportView } from "../analysis/report-schemas.ts";
import { changesQuery, changesView } from "../changes/change-schemas.ts";
import { crawlDetail, crawlsQuery, crawlView, sentenceOfRefusal } from "../crawls/crawl-schemas.ts";
import { recordsPage, recordsQuery, recordView } from "../records/record-schemas.ts";
import { count, NEXT_CURSOR, objectOf, requestOf } from "../requests/fields.ts";
import type { ChangesView, CrawlDetail, CrawlView, FindingsView, RecordView, ReportView } from "../views.ts";
import { getIfThere } from "./ask-api.ts";
import { chooseCrawl } from "./choose-crawl.ts";
import {
  describeCrawl,
  describeFinding,
  describeOwnTally,
  describeRecord,
  describeSeeds,
  describeTally,
  more,
} from "./describe.ts";
import { oneLine } from "./foreign-text.ts";
import { countOf, joinOwn, NOTHING, own, word } from "./own-words.ts";
import { readCursor, writeCursor } from "./record-cursor.ts";
import { ownSentence, ownTally, ownToken } from "./separate-words.ts";
import { anyCrawl, fewer, pathOf, type Tool, toolOfQuery } from "./tool.ts";

/** Tools that read crawls: which there are, how they are, their URLs, their changes and their reports. */

const crawlSummary = crawlView.pick({
  id: true,
  status: true,
  urls: true,
  total: true,
  finished: true,
  counts: true,
  waitingFor: true,
  costUsd: true,
  createdAt: true,
  finishedAt: true,
});
const crawlFields = crawlSummary.extend({
  searchable: z.boolean().describe("Whether `search` finds its pages."),
  limit: count.describe("Its page limit."),
});
const summarize = ({ options, ...crawl }: CrawlView) => ({
  ...crawlSummary.strip().parse(crawl),
  searchable: options.search,
  limit: options.limit,
});

const list = toolOfQuery({
  name: "list",
  title: "List the crawls",
  description: "The crawls of this installation, the newest first, with their ids, seeds and numbers of URLs.",
  input: requestOf({
    limit: fewer(crawlsQuery.shape.limit, 50, 10),
    cursor: crawlsQuery.shape.cursor.describe(NEXT_CURSOR),
  }),
  answer: objectOf({
    crawls: z.array(crawlFields).describe("The crawls."),
    cursor: ownToken("Send it as `cursor` for older ones. null: there are none.").nullable(),
  }),
  run: async (query, api) => {
    const { result, cursor, silent } = await api.list<CrawlView[]>("/api/crawls", query);
    const crawls = result.map(summarize);
    const missing =
      silent === 0
        ? []
        : [own`The crawls of ${countOf(silent, own`database`)} are missing: no answer came from there.`];
    if (crawls.length === 0)
      return { structured: { crawls, cursor }, head: joinOwn([...missing, own`There are no crawls yet.`], "\n") };
    return {
      structured: { crawls, cursor },
      head: joinOwn([...missing, ...crawls.map(describeCrawl)], "\n"),
      quoted: crawls.map(({ id, urls }) => `seeds of ${id}: ${describeSeeds(urls)}`).join("\n"),
      ...more(cursor, own`Older crawls`),
    };
  },
});

const status = toolOfQuery({
  name: "status",
  title: "Show a crawl",
  description:
    "How far a crawl is: its status, its URLs by status, what it waits for, what it cost, and which links it refused and why.",
  input: requestOf({ crawl: anyCrawl }),
  answer: crawlFields.extend({
    lastFailure: crawlView.shape.lastFailure,
    watching: crawlView.shape.watching,
    refused: crawlDetail.shape.refused.element
      .omit({ examples: true })
      .extend({ text: ownSentence(Object.values(REFUSALS).map(sentenceOfRefusal), "The reason in words.") })
      .array()
      .describe("Links that scope refused, by reason."),
  }),
  run: async ({ crawl: id }, api) => {
    const crawl = await api.get<CrawlDetail>(pathOf(await chooseCrawl(id, api)));
    const { lastFailure, watching } = crawl;
    const refused = crawl.refused.map(({ examples: _, ...refusal }) => refusal);
    const summary = summarize(crawl);
    const lines = [
      describeCrawl(summary),
      watching === null ? NOTHING : own`A watch: ${countOf(watching.changes, own`change`)} so far. See \`changes\`.`,
      ...refused.map(({ count, reason }) => own`${countOf(count, own`link`)} refused: the link ${REFUSALS[reason]}.`),
    ];
    const quoted = [
      `Seeds: ${describeSeeds(crawl.urls)}`,
      ...(crawl.waitingFor === null ? [] : [`It waits: ${oneLine(crawl.waitingFor)}.`]),
      ...(lastFailure === null ? [] : [`Its last batch failed and is tried again: ${oneLine(lastFailure.what)}`]),
    ];
    const foot =
      crawl.status === "running"
        ? own`It runs: ask again in some seconds. Pages that are completed can be read and searched already.`
        : own`See \`records\` for its URLs, \`report\` for numbers and problems, \`search\` and \`read\` for its pages.`;
    return {
      structured: { ...summary, lastFailure, watching, refused },
      head: joinOwn(lines, "\n"),
      quoted: quoted.join("\n"),
      foot,
    };
  },
});

const shortRecord = recordView
  .pick({
    url: true,
    status: true,
    explanation: true,
    httpStatus: true,
    contentType: true,
    title: true,
    depth: true,
    redirectTo: true,
    inLinks: true,
    fetchedAt: true,
  })
  .strip();

const records = toolOfQuery({
  name: "records",
  title: "List a crawl's URLs",
  description:
    "URLs of a crawl with status, HTTP status and title, and why a URL has no page. Filter by status, reason, HTTP status (`code`), content type, or a part of the URL or title (`q`).",
  input: requestOf({
    crawl: anyCrawl,
    ...recordsQuery.pick({ status: true, reason: true, code: true, type: true, q: true, sort: true, order: true })
      .shape,
    limit: fewer(recordsQuery.shape.limit, 100, 20),
    cursor: recordsQuery.shape.cursor,
  }),
  answer: objectOf({
    records: z.array(shortRecord).describe("The records."),
    cursor: ownToken(recordsPage.shape.cursor.description ?? "").nullable(),
  }),
  run: async ({ crawl: id, cursor: given, ...query }, api) => {
    const crawl = await chooseCrawl(id, api);
    type Page = { records: RecordView[]; cursor: string | null };
    const asked = { ...query, cursor: readCursor(given) };
    const { records, cursor: after } = await api.get<Page>(`${pathOf(crawl)}/records`, asked);
    const cursor = after === null ? null : writeCursor(after);
    if (records.length === 0)
      return { structured: { records, cursor }, head: own`No URL of crawl ${word(crawl)} matches.` };
    return {
      structured: { records, cursor },
      head: own`${countOf(records.length, own`URL`)} of crawl ${word(crawl)}:`,
      quoted: records.map(describeRecord).join("\n"),
      ...more(cursor, own`More URLs`),
    };
  },
});

const changes = toolOfQuery({
  name: "changes",
  title: "List what changed",
  description:
    "What a watch noticed: pages that were added, changed, moved, removed or restored, in order. `since` is a time or the cursor of an earlier answer. `diff` shows what a page says differently.",
  input: requestOf({
    crawl: anyCrawl.describe("Its id, `latest`, or its site. Without it: the newest watch."),
    since: changesQuery.shape.since,
    kind: changesQuery.shape.kind,
    limit: fewer(changesQuery.shape.limit, 200, 50),
  }),
  answer: changesView,
  run: async ({ crawl: id, ...query }, api) => {
    const crawl = await chooseCrawl(id, api, ({ watching }) => watching !== null);
    const found = await api.get<ChangesView>(`${pathOf(crawl)}/changes`, query);
    const lines = found.changes.map(({ at, kind, url, detail }) =>
      [at, kind, url, detail === null ? "" : `(${oneLine(detail)})`].join(" ").trim(),
    );
    return {
      structured: found,
      head:
        lines.length === 0
          ? own`No changes in crawl ${word(crawl)}.`
          : own`${countOf(lines.length, own`change`)} in crawl ${word(crawl)}:`,
      ...(lines.length === 0 ? {} : { quoted: lines.join("\n") }),
      foot: own`${found.hasMore ? "More changes" : "Later changes"}: the same call with since=${found.cursor}.`,
    };
  },
});

const problem = findingsView.shape.counts.element
  .pick({ kind: true, severity: true, found: true })
  .extend({
    title: ownSentence(
      Object.values(FINDING_KINDS).map(([, title]) => title),
      "The name of the kind, for people.",
    ),
  })
  .strip();

const report = toolOfQuery({
  name: "report",
  title: "Report on a crawl",
  description:
    "A crawl in numbers: URLs by HTTP status, type, reason and host, and the problems that an analysis found (broken links, redirects, orphan pages, duplicate titles...). With `kind`: the findings of one kind, with the pages to mend.",
  input: requestOf({
    crawl: anyCrawl,
    kind: findingsQuery.shape.kind,
    limit: fewer(findingsQuery.shape.limit, 100, 20),
    cursor: findingsQuery.shape.cursor,
  }),
  answer: objectOf({
    codes: ownTally(/^\d{3}$/, reportView.shape.codes.description ?? ""),
    reasons: ownTally(/^[a-z\d-]+$/, reportView.shape.reasons.description ?? ""),
    ...reportView.pick({ types: true, hosts: true }).shape,
    analyzedAt: findingsView.shape.finishedAt.nullable().describe("When the last analysis ended. null: there is none."),
    problems: problem.array().describe("The kinds of findings with their numbers. Empty without an analysis."),
    findings: findingsView.shape.findings.describe("The findings of the `kind` asked for."),
    cursor: ownToken(findingsView.shape.cursor.description ?? "").nullable(),
  }).partial({ codes: true, types: true, reasons: true, hosts: true }),
  run: async ({ crawl: id, ...query }, api) => {
    const crawl = await chooseCrawl(id, api);
    const path = pathOf(crawl);
    if (query.kind !== undefined)
      return describeFindings(await api.get<FindingsView>(`${path}/findings`, query), query);
    const { codes, types, reasons, hosts } = await api.get<ReportView>(`${path}/report`);
    const found = await getIfThere<FindingsView>(api, `${path}/findings`);
    const problems = found?.counts ?? [];
    const lines = [
      own`Crawl ${word(crawl)}`,
      own`HTTP status: ${describeOwnTally(codes)}`,
      own`URLs without a page, by reason: ${describeOwnTally(reasons)}`,
      ...problems.map(({ kind, severity, found }) => own`${severity}: ${titleOf(kind)}: ${found} (kind=${kind})`),
    ];
    const names = [
      `Types: ${describeTally(types)}`,
      `Hosts: ${describeTally(Object.fromEntries(hosts.map(({ host, urls }) => [host, urls])))}`,
    ];
    return {
      quoted: names.join("\n"),
      structured: {
        ...{ codes, types, reasons, hosts },
        analyzedAt: found?.finishedAt ?? null,
        problems,
        findings: [],
        cursor: null,
      },
      head: joinOwn(lines, "\n"),
      foot:
        found === null
          ? own`Links were not analyzed yet, so problems are not known: \`analyze\` does it.`
          : own`For the findings of a kind: the same call with \`kind\`.`,
    };
  },
});

function describeFindings(found: FindingsView, query: { kind?: string }) {
  const { counts: problems, findings, cursor, finishedAt } = found;
  const all = problems.find(({ kind }) => kind === query.kind);
  const structured = { analyzedAt: finishedAt, problems, findings, cursor };
  if (all === undefined || findings.length === 0) return { structured, head: own`No finding of this kind.` };
  return {
    structured,
    head: own`${titleOf(all.kind)}, ${all.found} in all:`,
    quoted: findings.map(describeFinding).join("\n"),
    ...more(cursor, own`More findings`),
  };
}

const titleOf = (kind: FindingKind) => FINDING_KINDS[kind][1];

export const CRAWL_TOOLS: readonly Tool[] = [list, status, records, changes, report];
