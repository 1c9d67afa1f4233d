import type { DocumentAnswer } from "../../crawl/page/outcome.ts";
import { LedgerStore } from "../ledger/ledger-store.ts";

/**
 * Which documents wait for the reader Worker, and who reads them: a claim is a lease on one of them. The rule of whose
 * turn it is stands in frontier/documents/reader-turns.ts. However many documents wait, a look reads some rows for each
 * crawl and host that has any.
 */

/** Crawls that a look considers, those served longest ago first. */
const MOST_CRAWLS = 100;
/** Hosts of a crawl on either side of the last one that had its turn. Fewer can hang the reader in ten minutes. */
const MOST_HOSTS = 100;
/** Claims that a look considers. Others come when these are gone. */
const MOST_CLAIMS = 500;

/** Documents of a paused crawl stay. Those of a crawl that has ended are read by nobody, and go when they are taken. */
const CRAWLS = `
WITH RECURSIVE waiting(crawl) AS (
  SELECT min(crawl) FROM waiting_documents
  UNION ALL
  SELECT (SELECT min(w.crawl) FROM waiting_documents w WHERE w.crawl > waiting.crawl) FROM waiting
  WHERE waiting.crawl IS NOT NULL)
SELECT c.id AS crawl, t.host, t.at FROM waiting CROSS JOIN crawls c ON c.id = waiting.crawl
LEFT JOIN document_turns t ON t.crawl = c.id
WHERE c.status <> 'paused' ORDER BY coalesce(t.at, 0) LIMIT ${MOST_CRAWLS}`;

/** Of document `w`. */
const ITS_CLAIM = "k.crawl = w.crawl AND k.url = w.url AND k.visit = ifnull(w.visit, -1)";

/** ?1: now. ?2: the process. The host is NULL if the document has settled. */
const CLAIMS = `
SELECT k.crawl, k.url, k.visit, k.deaths, k.until, w.host, k.until > ?1 AND k.boot IS ?2 AS isHeld,
  k.claim IS NOT NULL AS isRead, k.is_behind AS isBehind, c.status = 'paused' AS isPaused
FROM document_claims k LEFT JOIN waiting_documents w ON ${ITS_CLAIM} LEFT JOIN crawls c ON c.id = k.crawl
LIMIT ${MOST_CLAIMS}`;

const HANGS = "SELECT crawl, host FROM document_hangs WHERE at > ?1";

/** ?1: the crawl. `first`: the condition of the first host, `on`: that of going on to the next one. */
const lines = (first: string, on: string) => `
WITH RECURSIVE line(host) AS (
  SELECT min(host) FROM waiting_documents WHERE crawl = ?1 AND ${first}
  UNION ALL
  SELECT (SELECT min(w.host) FROM waiting_documents w WHERE w.crawl = ?1 AND w.host > line.host) FROM line WHERE ${on}
  LIMIT ${MOST_HOSTS})
SELECT line.host, (
  SELECT w.url FROM waiting_documents w WHERE w.crawl = ?1 AND w.host = line.host
    AND NOT EXISTS (SELECT 1 FROM document_claims k WHERE ${ITS_CLAIM})
  ORDER BY w.url LIMIT 1) AS url
FROM line WHERE line.host IS NOT NULL`;
const LINES_AFTER = lines("host > ?2", "line.host IS NOT NULL");
const LINES_UP_TO = lines("host >= ''", "line.host <= ?2");

/** ?7: how many of those that go behind may be read at once. A try whose answer was lost finds its own claim. */
const CLAIM = `
INSERT INTO document_claims (crawl, url, visit, claim, boot, until, is_behind, tries, deaths)
SELECT crawl, url, ifnull(visit, -1), ?3, ?4, ?5, ?6, 1, 0 FROM waiting_documents
WHERE crawl = ?1 AND url = ?2 AND (?6 = 0 OR ?7 > (
  SELECT count(*) FROM document_claims k
  WHERE k.is_behind = 1 AND k.claim IS NOT NULL AND k.claim <> ?3 AND k.until > ?8 AND k.boot IS ?4))
ON CONFLICT DO UPDATE SET
  claim = excluded.claim, boot = excluded.boot, until = excluded.until, is_behind = excluded.is_behind,
  tries = tries + (claim IS NOT excluded.claim)
WHERE until <= ?8 OR boot IS NOT excluded.boot OR claim = excluded.claim
RETURNING tries, deaths`;

const FIND = `
SELECT w.visit, w.answer, w.failures, w.ask_alone AS askAlone, c.epoch FROM waiting_documents w
CROSS JOIN crawls c ON c.id = w.crawl WHERE w.crawl = ?1 AND w.url = ?2`;

const NOTE_TURN = `
INSERT INTO document_turns (crawl, host, at)
SELECT ?1, ?3, ?4 WHERE EXISTS (SELECT 1 FROM document_claims WHERE crawl = ?1 AND url = ?2 AND claim = ?5)
ON CONFLICT (crawl) DO UPDATE SET host = excluded.host, at = excluded.at`;

/** A document that may be read now. `host`: `URL.host`. */
interface FreeDocument {
  crawl: string;
  host: string;
  url: string;
  deaths: number;
}

/** `visit`: as in a hint. */
export interface SettledDocument {
  crawl: string;
  url: string;
  visit: number | null;
}

export interface WaitingLines {
  /** The next document of each host, and each one that was read before. */
  lines: FreeDocument[];
  /** The last turns, by crawl. */
  turns: Map<string, { host: string; at: number }>;
  hangs: { crawl: string; host: string }[];
  /** Documents that have settled, and were not removed. */
  settled: SettledDocument[];
  /** What is being read. */
  readings: { crawl: string; host: string; isBehind: boolean }[];
  /** When the first claim ends, by itself if by nothing else; null if there is none. */
  claimEndsAt: number | null;
}

/** A document that is being read. */
export interface ClaimedDocument extends FreeDocument {
  claim: string;
  /** How often it was taken, this time included. */
  tries: number;
  epoch: number;
  visit: number | null;
  answer: DocumentAnswer;
  /** Of the hint that led to it. */
  failures: number;
  askAlone: boolean;
  isBehind: boolean;
}

interface Claiming {
  /** Unique. */
  claim: string;
  isBehind: boolean;
  /** How many of those that go behind may be read at once. */
  placesBehind: number;
  until: number;
}

export class DocumentTurns extends LedgerStore {
  /** `boot`: as `Deps.boot`. `hungSince`: what hung the reader before is forgotten. */
  async waiting(boot: string | null, hungSince: number, now: number): Promise<WaitingLines> {
    const [crawls, claims, hangs] = (await this.db.batch([
      this.db.prepare(CRAWLS),
      this.statement(CLAIMS, [now, boot]),
      this.statement(HANGS, [hungSince]),
    ])) as [D1Result<CrawlRow>, D1Result<ClaimRow>, D1Result<WaitingLines["hangs"][number]>];
    const statements = crawls.results.flatMap(({ crawl, host }) =>
      [LINES_AFTER, LINES_UP_TO].map((sql) => this.statement(sql, [crawl, host ?? ""])),
    );
    const found = statements.length === 0 ? [] : await this.db.batch<{ host: string; url: string | null }>(statements);
    const untouched = found.flatMap(({ results }, i) => {
      const { crawl = "" } = crawls.results[Math.floor(i / 2)] ?? {};
      return results.flatMap(({ host, url }) => (url === null ? [] : [{ crawl, host, url, deaths: 0 }]));
    });
    const { held = [], free = [] } = Object.groupBy(claims.results, ({ isHeld }) => (isHeld === 1 ? "held" : "free"));
    const again = free.flatMap(({ crawl, host, url, deaths, isPaused }) =>
      host === null || isPaused === 1 ? [] : [{ crawl, host, url, deaths }],
    );
    return {
      lines: [...uniqueOf(untouched), ...again],
      settled: free.flatMap(({ crawl, url, visit, host }) =>
        host === null ? [{ crawl, url, visit: visit === -1 ? null : visit }] : [],
      ),
      turns: new Map(crawls.results.flatMap(({ crawl, host, at }) => (host === null ? [] : [[crawl, { host, at }]]))),
      hangs: hangs.results,
      readings: held.flatMap(({ crawl, host, isRead, isBehind }) =>
        host === null || isRead === 0 ? [] : [{ crawl, host, isBehind: isBehind === 1 }],
      ),
      claimEndsAt: held.length === 0 ? null : Math.min(...held.map(({ until }) => until)),
    };
  }

  /** Null if another attempt has it, or as many of those that go behind are read as may be. */
  async claim(
    { crawl, url, host }: FreeDocument,
    { claim, isBehind, placesBehind, until }: Claiming,
    boot: string | null,
    now: number,
  ): Promise<ClaimedDocument | null> {
    const [taken, found] = (await this.db.batch([
      this.statement(CLAIM, [crawl, url, claim, boot, until, isBehind ? 1 : 0, placesBehind, now]),
      this.statement(FIND, [crawl, url]),
      this.statement(NOTE_TURN, [crawl, url, host, now, claim]),
    ])) as [D1Result<{ tries: number; deaths: number }>, D1Result<FoundRow>];
    const [lease] = taken.results;
    const [row] = found.results;
    if (lease === undefined || row === undefined) return null;
    const answer = JSON.parse(row.answer) as DocumentAnswer;
    return { crawl, url, host, claim, ...lease, ...row, answer, askAlone: row.askAlone === 1, isBehind };
  }

  /** Ends a claim. Nobody takes the document before `until`, unless it is offered again (`WaitingDocuments.offer`). */
  async release({ claim, ...place }: ClaimedDocument, until: number): Promise<void> {
    await this.run(
      `UPDATE document_claims SET claim = NULL, is_behind = 0, until = ?4 WHERE ${AT_PLACE} AND claim = ?5`,
      [...placeOf(place), until, claim],
    );
  }

  /** For a document that has settled and is removed. */
  async forget(settled: SettledDocument): Promise<void> {
    await planForgetting(this.db, settled).run();
  }

  /** Notes that a document ended the reader, for itself and its host. What was noted until `forgetUntil` goes. */
  async noteDeath(document: ClaimedDocument, forgetUntil: number, now: number): Promise<void> {
    const { crawl, host, deaths, claim } = document;
    await this.db.batch([
      this.statement(`UPDATE document_claims SET deaths = ?4 WHERE ${AT_PLACE} AND claim = ?5`, [
        ...placeOf(document),
        deaths + 1,
        claim,
      ]),
      this.statement("DELETE FROM document_hangs WHERE at <= ?1", [forgetUntil]),
      this.statement("INSERT OR REPLACE INTO document_hangs (crawl, host, at) VALUES (?1, ?2, ?3)", [crawl, host, now]),
    ]);
  }
}

const AT_PLACE = "crawl = ?1 AND url = ?2 AND visit = ?3";

function placeOf({ crawl, url, visit }: SettledDocument): [string, string, number] {
  return [crawl, url, visit ?? -1];
}

/** Plans the removal of the claim on a document that nobody wants any more. */
export function planForgetting(db: D1Database, place: SettledDocument): D1PreparedStatement {
  return db.prepare(`DELETE FROM document_claims WHERE ${AT_PLACE}`).bind(...placeOf(place));
}

/** The two queries of a crawl may both name a host. */
function uniqueOf(lines: readonly FreeDocument[]): FreeDocument[] {
  return [...new Map(lines.map((line) => [`${line.crawl} ${line.url}`, line])).values()];
}

interface CrawlRow {
  crawl: string;
  host: string | null;
  at: number;
}

interface ClaimRow {
  crawl: string;
  url: string;
  visit: number;
  deaths: number;
  until: number;
  host: string | null;
  isHeld: number;
  isRead: number;
  isBehind: number;
  isPaused: number | null;
}

interface FoundRow {
  visit: number | null;
  answer: string;
  failures: number;
  askAlone: number;
  epoch: number;
}
