import { type Clock, systemClock } from "../core/clock.ts";
import { EMPTY_RENDER_MEMORY, type RenderMemory } from "../crawl/page/render-memory.ts";
import type { LearnedTopic } from "../crawl/subject/learned-topic.ts";
import { DatabaseSize } from "./installation/database-size.ts";
import { Deletions } from "./installation/deletions.ts";
import { HookFailures } from "./installation/hook-failures.ts";
import { InstallationKey } from "./installation/installation-key.ts";
import { InstallationUsage } from "./installation/installation-usage.ts";
import { databaseOf, ledgersIn } from "./installation/ledger-bindings.ts";
import { LogIns } from "./installation/log-ins.ts";
import { type Meter, meteredBucket, meteredDatabase } from "./installation/metered.ts";
import { RoomNotes } from "./installation/room-notes.ts";
import { Schedules } from "./installation/schedules.ts";
import { SealedValues } from "./installation/sealed-values.ts";
import { Sessions } from "./installation/sessions.ts";
import { EndlessHosts } from "./learned/endless-hosts.ts";
import { Feeds } from "./learned/feeds.ts";
import { HostTexts } from "./learned/host-texts.ts";
import { Labels } from "./learned/labels.ts";
import { LearnedByCrawl, LearnedByHost } from "./learned/learned.ts";
import { Marks } from "./learned/marks.ts";
import { ModelAnswers } from "./learned/model-answers.ts";
import { SamePages } from "./learned/same-pages.ts";
import { Heartbeats } from "./ledger/heartbeats.ts";
import { Imports } from "./ledger/importing.ts";
import { Ledger } from "./ledger/ledger.ts";
import { Lists } from "./ledger/lists.ts";
import { Motion } from "./ledger/motion.ts";
import { Lowered } from "./ledger/waiting/lowered.ts";
import { Waits } from "./ledger/waiting/waits.ts";
import { WithheldUrls } from "./ledger/waiting/withheld-urls.ts";
import { ArchiveIndex } from "./mirror/archive-index.ts";
import { DocumentTurns } from "./mirror/document-turns.ts";
import { Documents } from "./mirror/documents.ts";
import { Mirror } from "./mirror/mirror.ts";
import { Packs } from "./mirror/packs.ts";
import { WaitingDocuments } from "./mirror/waiting-documents.ts";
import { Deliveries } from "./notices/deliveries.ts";
import { IndexNow } from "./notices/indexnow.ts";
import { Webhooks } from "./notices/webhooks.ts";
import { CrawlTemplates } from "./passes/crawl-templates.ts";
import { ExtractionSections } from "./passes/extraction-sections.ts";
import { Extractions } from "./passes/extractions.ts";
import { IgnoreLists } from "./passes/ignore-lists.ts";
import { PassObjects } from "./passes/pass-objects.ts";
import { PassRows } from "./passes/pass-rows.ts";
import { Passes } from "./passes/passes.ts";
import { Reindexing } from "./passes/reindexing.ts";
import { Reports } from "./passes/reports.ts";
import { Records } from "./records/records.ts";
import { SearchHits } from "./records/search-hits.ts";
import { Sitemaps } from "./records/sitemaps.ts";
import { ShardOutbox } from "./shards/shard-outbox.ts";
import { ShardParts } from "./shards/shard-parts.ts";
import { Changes } from "./watches/changes.ts";
import { DueVisits } from "./watches/due-visits.ts";
import { Mementos } from "./watches/mementos.ts";
import { Months } from "./watches/months.ts";
import { OldVersions } from "./watches/old-versions.ts";
import { PageTroubles } from "./watches/page-troubles.ts";
import { Readings } from "./watches/readings.ts";
import { SecondLooks } from "./watches/second-looks.ts";
import { Signals } from "./watches/signals.ts";
import { Surveys } from "./watches/surveys.ts";
import { ToldChanges } from "./watches/told-changes.ts";
import { ToldTroubles } from "./watches/told-troubles.ts";
import { Versions } from "./watches/versions.ts";
import { WatchHosts } from "./watches/watch-hosts.ts";

/** The stores in D1 and R2 that the rest of the program uses: those of one ledger, and what belongs to no crawl. */
export type Store = ReturnType<typeof openStore>;

/**
 * Opens the stores for one request or batch. Its meter counts all their usage. Opening them sends no request. `clock`:
 * measures the waits between two tries of a database call. `ledger`: the number of the one in which the crawls live.
 * What belongs to no crawl is in the first one, the catalogue, whichever it is: schedules, sessions, the installation's
 * key and bill, the keys of IndexNow, the lists of findings to ignore. Throws UnknownLedger.
 */
export function openStore(
  { MIRROR, SESSION_KEY, ...bindings }: Pick<Env, "LEDGER" | "MIRROR"> & Partial<Pick<Env, "SESSION_KEY">>,
  meter: Meter,
  clock: Pick<Clock, "sleep"> = systemClock,
  ledger = 0,
) {
  const databaseSize = new DatabaseSize();
  const db = meteredDatabase(databaseOf(bindings, ledger), meter, clock, databaseSize);
  const catalogue = ledger === 0 ? db : meteredDatabase(databaseOf(bindings, 0), meter, clock);
  /** Those of the other ledgers. */
  const others = ledgersIn(bindings)
    .filter((number) => number !== 0)
    .map((number) => (number === ledger ? db : meteredDatabase(databaseOf(bindings, number), meter, clock)));
  const bucket = meteredBucket(MIRROR, meter);
  const told = new Set<string>();
  return {
    /** The number of the ledger. */
    ledgerNumber: ledger,
    ledger: new Ledger(db, told),
    /** The parts in this ledger of crawls over several. */
    shardParts: new ShardParts(db),
    /** What these have found for others. */
    shardOutbox: new ShardOutbox(db),
    imports: new Imports(db),
    lists: new Lists(db),
    records: new Records(db),
    lowered: new Lowered(db),
    marks: new Marks(db),
    labels: new Labels(db),
    mementos: new Mementos(db),
    versions: new Versions(db),
    schedules: new Schedules(catalogue),
    sitemaps: new Sitemaps(db),
    readings: new Readings(db),
    indexnow: new IndexNow(catalogue),
    signals: new Signals(db),
    waits: new Waits(db),
    motion: new Motion(db),
    dueVisits: new DueVisits(db),
    changes: new Changes(db),
    templates: new HostTexts(db, "templates", "template"),
    secondLooks: new SecondLooks(db),
    samePages: new SamePages(db),
    endlessHosts: new EndlessHosts(db),
    withheldUrls: new WithheldUrls(db),
    renderMemory: new LearnedByHost<RenderMemory>(db, "render_memory", EMPTY_RENDER_MEMORY),
    /** The subjects of crawls that have one. */
    topics: new LearnedByCrawl<LearnedTopic>(db, "topics"),
    oldVersions: new OldVersions(db),
    watchHosts: new WatchHosts(db),
    pageTroubles: new PageTroubles(db),
    surveys: new Surveys(db),
    months: new Months(db),
    feeds: new Feeds(db),
    cookies: new HostTexts(db, "cookies", "jar"),
    /** What is sent behind a log-in. */
    sessions: new Sessions(catalogue, SESSION_KEY, others),
    logIns: new LogIns(catalogue, SESSION_KEY),
    /** Secret values in the rows of other stores. */
    sealedValues: new SealedValues(SESSION_KEY),
    webhooks: new Webhooks(db),
    deliveries: new Deliveries(db, told),
    toldChanges: new ToldChanges(db),
    toldTroubles: new ToldTroubles(db),
    /** The receivers of the notices that these stores wrote. Who sends hints to them takes them out. */
    told,
    databaseSize,
    roomNotes: new RoomNotes(db),
    heartbeats: new Heartbeats(db),
    hookFailures: new HookFailures(db),
    modelAnswers: new ModelAnswers(db),
    deletions: new Deletions(db, catalogue),
    reports: new Reports(db),
    searchHits: new SearchHits(db),
    reindexing: new Reindexing(db),
    archiveIndex: new ArchiveIndex(db),
    installationUsage: new InstallationUsage(catalogue),
    installationKey: new InstallationKey(catalogue),
    mirror: new Mirror(bucket),
    packs: new Packs(bucket),
    /** Documents that wait for the reader Worker. */
    documents: new Documents(bucket),
    /** What the ledger knows of them. */
    waitingDocuments: new WaitingDocuments(db),
    /** Whose turn it is at the reader. */
    documentTurns: new DocumentTurns(db),
    passes: new Passes(db),
    passRows: new PassRows(db),
    ignoreLists: new IgnoreLists(catalogue),
    extractions: new Extractions(db),
    extractionSections: new ExtractionSections(db),
    passObjects: new PassObjects(bucket),
    crawlTemplates: new CrawlTemplates(db, bucket),
  };
}
