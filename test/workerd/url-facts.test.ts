import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { COLUMN_FACTS, FACTS, type FactType } from "../../src/crawl/url-facts.ts";
import { columnOf } from "../../src/store/ledger/fact-columns.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { discovered, settled, visited, WATCH } from "./rows.ts";

/** The table of facts and the rows of the ledger. */

const URL = "https://a.test/";

const REALS: readonly FactType[] = ["share", "real"];
const NUMBERS: readonly FactType[] = ["count", "int", "byte", "time", "flag"];
const typeOf = (type: FactType) => (REALS.includes(type) ? "REAL" : NUMBERS.includes(type) ? "INTEGER" : "TEXT");

test("the table has each column of a URL's row, with its type", async () => {
  const { results } = await env.LEDGER.prepare(
    `SELECT name, type, "notnull" OR name = 'kind' AS isRequired FROM pragma_table_xinfo('urls')`,
  ).all<{ name: string; type: string; isRequired: number }>();
  // The crawl is no fact of the URL, `kind` is made of `asset`, and `body_sha256` of two columns.
  const columns = results.filter(({ name }) => !["crawl", "asset", "sha256", "listed_sha256"].includes(name));
  const facts = COLUMN_FACTS.map((name) => ({
    name: columnOf(name),
    type: typeOf(FACTS[name].type),
    isRequired: "isRequired" in FACTS[name] ? 1 : 0,
  }));
  expect(facts.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(columns.sort((a, b) => (a.name < b.name ? -1 : 1)));
});

const MEDIA = { type: "audio/wav", durationS: 1 } as never;
const packedAt = (n: number) => ({
  pack: `p${n}`,
  offset: n,
  length: n + 1,
  revisits: `r${n}`,
  contentOffset: n + 2,
  contentLength: n + 3,
  linksOffset: n + 4,
  linksLength: n + 5,
});
const packedColumns = (n: number) => ({
  pack: `p${n}`,
  pack_offset: n,
  pack_length: n + 1,
  revisits: `r${n}`,
  content_offset: n + 2,
  content_length: n + 3,
  links_pack: `p${n}`,
  links_offset: n + 4,
  links_length: n + 5,
});

/** All that an outcome can have, and the columns in which it stands. `n`: makes its values others. */
const outcomeOf = (n: number) =>
  settled(URL, {
    status: "errored",
    reason: "http-status",
    detail: `d${n}`,
    httpStatus: n,
    title: `t${n}`,
    contentType: `c${n}`,
    bytes: n + 10,
    sha256: `s${n}`,
    fetchedAt: n + 11,
    durationMs: n + 12,
    truncated: "disconnect",
    print: { fingerprint: `f${n}`, words: n + 13 },
    language: `l${n}`,
    canonical: `k${n}`,
    shell: `h${n}`,
    rendered: `r${n}`,
    relevance: n / 1_000,
    media: MEDIA,
    fields: { price: n },
    packed: packedAt(n),
    etag: `e${n}`,
    lastModified: `m${n}`,
  });
const columnsOf = (n: number) => ({
  status: "errored",
  reason: "http-status",
  detail: `d${n}`,
  http_status: n,
  title: `t${n}`,
  content_type: `c${n}`,
  bytes: n + 10,
  sha256: `s${n}`,
  listed_sha256: null,
  body_sha256: `s${n}`,
  fetched_at: n + 11,
  duration_ms: n + 12,
  truncated: "disconnect",
  fingerprint: `f${n}`,
  words: n + 13,
  language: `l${n}`,
  canonical: `k${n}`,
  shell: `h${n}`,
  rendered: `r${n}`,
  relevance: n / 1_000,
  media: JSON.stringify(MEDIA),
  fields: JSON.stringify({ price: n }),
  ...packedColumns(n),
  etag: `e${n}`,
  last_modified: `m${n}`,
});

test("a row has what its outcome and its visits say, and loses it when it is reopened", async () => {
  const ledger = new Ledger(env.LEDGER);
  const id = crypto.randomUUID();
  const options = { ...DEFAULT_OPTIONS, urls: [URL], userAgent: "Test/1", watch: WATCH };
  const seeds = [discovered(URL, { lastmod: 3, cookies: "a=1" })];
  await ledger.create({ id, options, hosts: ["a.test"], seeds, sitemaps: [], now: 1 });
  const rowNow = () => env.LEDGER.prepare("SELECT * FROM urls WHERE crawl = ?1").bind(id).first();
  const commit = (changes: object) => ledger.commit([{ ...emptyCommit(id), ...changes }], 10);
  const { crawl, kind, asset, depth, via, priority, seq, redirects, chain, found, listed_depth } =
    (await rowNow()) ?? {};
  const way = { crawl, kind, asset, url: URL, depth, via, priority, seq, redirects, chain, found, listed_depth };
  const discovery = { ...way, lastmod: 3, cookies: "a=1" };
  const passes = { rank: 9, in_links: 8, label: "L", confidence: 0.5 };
  const extraction = { extracted: "{}", extracted_of: "s" };
  await env.LEDGER.prepare(
    "UPDATE urls SET rank = 9, in_links = 8, twin_of = 'w', label = 'L', confidence = 0.5, extracted = '{}', extracted_of = 's', failures = 4 WHERE crawl = ?1",
  )
    .bind(id)
    .run();
  const others = { ...discovery, ...passes, ...extraction, twin_of: "w", failures: 4, tx: null, due_at: null };
  const unvisited = { visits: 0, visited_at: null, visit_at: null, visit_failures: 0, missing_at: null, told: null };
  const unseen = { open_finding: null, full_at: null, restless: null };
  const unlearned = { ...unseen, rate_changes: null, rate_days: null, signalled_at: null, validators_unstored: null };

  await commit({ outcomes: [outcomeOf(100)] });
  expect(await rowNow()).toEqual({
    ...others,
    ...columnsOf(100),
    ...unvisited,
    ...unlearned,
    attempts: 1,
    finished_in: 1,
  });

  const told = [{ hashes: "x" }] as never;
  const visit = { visitedAt: 21, visitAt: 22, rateChanges: 0.25, rateDays: 0.75, failures: 3, missingAt: 23, told };
  const sights = { openFinding: { says: "x", visits: 2 }, fullAt: 24, restless: { x: [4, "y"] } as never };
  const validators = { ...sights, etag: "e9", lastModified: "m9", hasUnstoredValidators: true };
  const knows = {
    visited_at: 21,
    visit_at: 22,
    rate_changes: 0.25,
    rate_days: 0.75,
    visit_failures: 3,
    missing_at: 23,
    open_finding: JSON.stringify(sights.openFinding),
    full_at: 24,
    restless: JSON.stringify(sights.restless),
  };
  const learned = { ...knows, told: JSON.stringify(told), signalled_at: null };
  const known = { etag: "e9", last_modified: "m9", validators_unstored: 1 };

  await env.LEDGER.prepare("UPDATE crawls SET status = 'watching' WHERE id = ?1").bind(id).run();
  await commit({ visits: [visited(URL, { ...visit, ...validators })] });
  const asKnown = { ...others, ...columnsOf(100), ...learned, ...known, attempts: 1, visits: 1, finished_in: 1 };
  expect(await rowNow()).toEqual(asKnown);

  const stored = { ...sights, etag: "e7", lastModified: "m7", hasUnstoredValidators: false };
  await commit({ visits: [visited(URL, { ...visit, ...stored, visit: 1, told: null, outcome: outcomeOf(200) })] });
  const answered = { told: null, etag: "e7", last_modified: "m7", validators_unstored: null, visits: 2 };
  expect(await rowNow()).toEqual({ ...asKnown, ...columnsOf(200), ...answered });

  await env.LEDGER.prepare("UPDATE urls SET due_at = 5, signalled_at = 6 WHERE crawl = ?1").bind(id).run();
  await ledger.retry(id, { status: "errored", reason: null, limit: null }, "", 30);
  const { status, tx, ...reopened } = (await rowNow()) ?? {};
  expect(status).toMatch(/^(pending|queued)$/);
  const left = { ...discovery, ...passes, failures: 4, attempts: 0, visits: 3, visit_failures: 0 };
  const kept = { ...left, rate_changes: 0.25, rate_days: 0.75, signalled_at: 6 };
  const gone = Object.keys(reopened).filter((name) => !(name in kept));
  expect(reopened).toEqual({ ...kept, ...Object.fromEntries(gone.map((name) => [name, null])) });
});
