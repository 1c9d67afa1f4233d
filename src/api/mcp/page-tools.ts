import * as z from "zod";
import { inlinksQuery, inlinksView } from "../analysis/inlinks-schemas.ts";
import { SEARCH_NOTES, searchQuery, searchView } from "../analysis/search-schemas.ts";
import { diffQuery, diffView } from "../changes/diff-schemas.ts";
import { explainView } from "../records/explain-schemas.ts";
import { pageQuery, recordView, urlQuery } from "../records/record-schemas.ts";
import { count, listOf, NEXT_CURSOR, objectOf, queryInteger, requestOf } from "../requests/fields.ts";
import type { DiffView, ExplainView, InlinksView, RecordDetailView, SearchView } from "../views.ts";
import { chooseCrawl, chooseCrawlOfUrl, chooseCrawlWithPage } from "./choose-crawl.ts";
import { cutText } from "./cut-text.ts";
import { more } from "./describe.ts";
import { diffLines, firstHunks } from "./diff-lines.ts";
import { oneLine, withoutUnseen } from "./foreign-text.ts";
import { countOf, joinOwn, NOTHING, own, word } from "./own-words.ts";
import { ownSentence, ownToken } from "./separate-words.ts";
import { anyCrawl, crawlWithPage, fewer, pathOf, type Tool, toolOfQuery } from "./tool.ts";

/** Tools that read pages: search, their text, their versions, their links, and why one is missing. */

/** Characters of a part of a page: some 5,000 tokens. */
const PART = 20_000;
const MAX_PART = 100_000;
/** More than a body may have. */
const MAX_OFFSET = 100_000_000;

const NOTES = Object.values(SEARCH_NOTES);

const search = toolOfQuery({
  name: "search",
  title: "Search stored pages",
  description:
    "Finds stored pages by their words, the best first, with the matching piece of text. Then `read` a hit by its URL. Only crawls with search are searched: those that `crawl` starts are.",
  input: requestOf({
    ...searchQuery.pick({ q: true, order: true, cursor: true }).shape,
    crawl: anyCrawl.describe("Search only this crawl: its id, `latest`, or its site. Without it: all crawls."),
    limit: fewer(searchQuery.shape.limit, 50, 5),
  }),
  answer: objectOf({
    hits: listOf({
      crawl: ownToken(searchView.shape.hits.element.shape.crawl.description ?? ""),
      ...searchView.shape.hits.element.pick({ url: true, title: true, fetchedAt: true }).shape,
      snippet: z.string().describe("The best matching part of the page."),
    }).describe("The hits, best first."),
    ...searchView.pick({ total: true, isAtLeast: true }).shape,
    cursor: ownToken(searchView.shape.cursor.description ?? "").nullable(),
    note: ownSentence(NOTES, searchView.shape.note.description ?? "").nullable(),
  }),
  run: async ({ crawl: id, ...words }, api) => {
    const query = id === undefined ? words : { ...words, crawl: await chooseCrawl(id, api) };
    const { hits: found, total, isAtLeast, cursor, note } = await api.get<SearchView>("/api/search", query);
    const hits = found.map(({ crawl, url, title, fetchedAt, snippet }) => {
      return { crawl, url, title, fetchedAt, snippet: snippet.map(({ text }) => text).join("") };
    });
    const lines = hits.map(
      ({ url, title, snippet }) => `${url}\n  ${oneLine(title ?? "(no title)")}\n  ${oneLine(snippet)}`,
    );
    const told = NOTES.find((each) => each === note);
    const head = [
      told === undefined ? NOTHING : own`${told}`,
      hits.length === 0
        ? own`No page matches.`
        : own`${isAtLeast ? "At least " : ""}${countOf(total, own`page`)}, the best first:`,
    ];
    return {
      structured: { hits, total, isAtLeast, cursor, note },
      head: joinOwn(head, " "),
      ...(hits.length === 0 ? {} : { quoted: lines.join("\n") }),
      ...more(cursor, own`More hits`),
    };
  },
});

const read = toolOfQuery({
  name: "read",
  title: "Read a page",
  description:
    "The main content of a stored page as Markdown, without menus, scripts and hidden elements. A long page comes in parts: send `next` of the answer as `offset`. It reads what was stored and asks no site.",
  input: requestOf({
    url: urlQuery.shape.url,
    crawl: crawlWithPage,
    offset: queryInteger(0, MAX_OFFSET, 0).describe("Where to begin, in characters: `next` of the part before."),
    length: queryInteger(1_000, MAX_PART, PART).describe("Maximum number of characters of the part."),
    rawText: pageQuery.shape.rawText,
  }),
  answer: objectOf({
    crawl: ownToken("The crawl that has the page."),
    url: recordView.shape.url,
    title: recordView.shape.title,
    fetchedAt: recordView.shape.fetchedAt,
    offset: count.describe("Where this part begins, in characters."),
    total: count.describe("Number of characters of the page."),
    next: count.nullable().describe("Send it as `offset` for the next part. null: this is the last one."),
    markdown: z.string().describe("This part of the page, written by the site."),
  }),
  run: async ({ url: given, crawl: id, offset, length, ...query }, api) => {
    const crawl = await chooseCrawlWithPage(id, given, api);
    const path = pathOf(crawl);
    const [page, { record }] = await Promise.all([
      api.text(`${path}/page`, { url: given, format: "markdown", ...query }),
      api.get<RecordDetailView>(`${path}/record`, { url: given }),
    ]);
    const whole = withoutUnseen(page);
    const start = Number(offset);
    const { text, next } = cutText(whole, start, Number(length));
    const { url, title, fetchedAt } = record;
    const last = start + text.length;
    return {
      structured: { crawl, url, title, fetchedAt, offset: start, total: whole.length, next, markdown: text },
      head:
        text === ""
          ? own`The page has no ${start === 0 ? own`readable text` : own`text after ${whole.length} characters`}.`
          : own`Characters ${start} to ${last} of ${whole.length}, as fetched ${word(fetchedAt ?? "")} by crawl ${word(crawl)}:`,
      quoted: `URL: ${url}\n\n${text}`.trimEnd(),
      ...(next === null ? {} : { foot: own`Next part: the same call with offset=${next}.` }),
    };
  },
});

const diff = toolOfQuery({
  name: "diff",
  title: "Compare two versions of a page",
  description:
    "What a page says differently: the version in force at `to` (without it the newest) against the one at `from` (without it the one before). `+` lines are new, `-` lines are gone.",
  input: requestOf({
    url: urlQuery.shape.url,
    crawl: crawlWithPage,
    ...diffQuery.pick({ from: true, to: true, full: true }).shape,
  }),
  answer: diffView.pick({
    url: true,
    from: true,
    to: true,
    earlier: true,
    later: true,
    title: true,
    hunks: true,
    hunksLeftOut: true,
  }),
  run: async ({ url, crawl, ...query }, api) => {
    const id = await chooseCrawlWithPage(crawl, url, api);
    const all = await api.get<DiffView>(`${pathOf(id)}/diff`, { url, ...query });
    const hunks = firstHunks(all.hunks, PART);
    const found = { ...all, hunks, hunksLeftOut: all.hunksLeftOut + all.hunks.length - hunks.length };
    const lines = diffLines(found);
    const between = own`${word(found.from.fetchedAt)} and ${word(found.to.fetchedAt)}`;
    const foot = [
      found.hunksLeftOut > 0
        ? own`${countOf(found.hunksLeftOut, own`further difference`)} left out: \`read\` the page.`
        : NOTHING,
      found.earlier === null
        ? NOTHING
        : own`An earlier comparison: the same call with to=${word(found.from.fetchedAt)}.`,
    ];
    return {
      structured: found,
      head: lines.length === 0 ? own`The versions of ${between} say the same.` : own`Between ${between}:`,
      quoted: [`URL: ${found.url}`, ...lines].join("\n"),
      foot: joinOwn(foot, " "),
    };
  },
});

const inlinks = toolOfQuery({
  name: "inlinks",
  title: "List who links to a page",
  description:
    "Pages of a crawl that link to a URL, with their anchor texts, and URLs that redirect to it. The crawl must have been analyzed: see `analyze`.",
  input: requestOf({
    url: urlQuery.shape.url,
    crawl: crawlWithPage,
    limit: fewer(inlinksQuery.shape.limit, 50, 20),
    cursor: inlinksQuery.shape.cursor.describe(NEXT_CURSOR),
  }),
  answer: objectOf({
    ...inlinksView.pick({ url: true, analyzedAt: true, total: true }).shape,
    cursor: ownToken(inlinksView.shape.cursor.description ?? "").nullable(),
    sources: listOf({
      ...inlinksView.shape.sources.element.pick({ url: true, title: true, redirects: true }).shape,
      texts: z.array(z.string()).describe("The anchor texts of its links."),
    }).describe("The sources."),
  }),
  run: async ({ crawl, ...query }, api) => {
    const id = await chooseCrawlOfUrl(crawl, query.url, api);
    const found = await api.get<InlinksView>(`${pathOf(id)}/inlinks`, query);
    const { url, analyzedAt, total, cursor } = found;
    const sources = found.sources.map(({ url, title, redirects, links }) => {
      return { url, title, redirects, texts: [...new Set(links.map(({ text }) => text))] };
    });
    const lines = sources.map(({ url, redirects, texts }) =>
      redirects ? `${url} redirects to it` : `${url} ${texts.map((text) => JSON.stringify(oneLine(text))).join(", ")}`,
    );
    return {
      structured: { url, analyzedAt, total, sources, cursor },
      head: total === 0 ? own`Nothing links to this URL.` : own`${countOf(total, own`source`)} of links to the URL:`,
      quoted: [`URL: ${url}`, ...lines].join("\n"),
      ...more(cursor, own`More sources`),
    };
  },
});

const explain = toolOfQuery({
  name: "explain",
  title: "Explain a URL",
  description:
    "Why a crawl has or has not fetched a URL, or whether it would: scope, crawler traps, robots.txt, pace. It fetches no page, but may read robots.txt of the host.",
  asksOthers: true,
  input: requestOf({ crawl: anyCrawl, url: urlQuery.shape.url }),
  answer: explainView.pick({ url: true, asWritten: true, verdict: true, sentence: true, steps: true }),
  run: async ({ crawl: id, url }, api) => {
    const crawl = await chooseCrawlOfUrl(id, url, api);
    const found = await api.get<ExplainView>(`${pathOf(crawl)}/explain`, { url });
    const lines = found.steps.map(({ step, ok, rule, detail }) => `${ok ? "ok" : "no"} ${step} (${rule}): ${detail}`);
    return {
      structured: found,
      head: own`Crawl ${word(crawl)}: ${found.verdict}:`,
      quoted: [found.sentence, ...lines].map(oneLine).join("\n"),
    };
  },
});

export const PAGE_TOOLS: readonly Tool[] = [search, read, diff, inlinks, explain];
