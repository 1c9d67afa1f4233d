import { type Clock, systemClock } from "../core/clock.ts";
import type { LearnedTopic } from "../crawl/learned-topic.ts";
import { EMPTY_RENDER_MEMORY, type RenderMemory } from "../crawl/render-memory.ts";
import { ArchiveIndex } from "./archive-index.ts";
import { Changes } from "./changes.ts";
import { DatabaseSize } from "./database-size.ts";
import { Deletions } from "./deletions.ts";
import { Deliveries } from "./deliveries.ts";
import { DocumentTurns } from "./document-turns.ts";
import { Documents } from "./documents.ts";
import { DueVisits } from "./due-visits.ts";
import { EndlessHosts } from "./endless-hosts.ts";
import { Feeds } from "./feeds.ts";
import { Heartbeats } from "./heartbeats.ts";
import { HookFailures } from "./hook-failures.ts";
import { HostTexts } from "./host-texts.ts";
import { IndexNow } from "./indexnow.ts";
import { InstallationKey } from "./installation-key.ts";
import { InstallationUsage } from "./installation-usage.ts";
import { Labels } from "./labels.ts";
import { LearnedByCrawl, LearnedByHost } from "./learned.ts";
import { Ledger } from "./ledger.ts";
import { Lowered } from "./lowered.ts";
import { Marks } from "./marks.ts";
import { Mementos } from "./mementos.ts";
import { type Meter, meteredBucket, meteredDatabase } from "./metered.ts";
import { Mirror } from "./mirror.ts";
import { Motion } from "./motion.ts";
import { OldVersions } from "./old-versions.ts";
import { Packs } from "./packs.ts";
import { PassObjects } from "./pass-objects.ts";
import { Passes } from "./passes.ts";
import { Readings } from "./readings.ts";
import { Records } from "./records.ts";
import { Reindexing } from "./reindexing.ts";
import { Reports } from "./reports.ts";
import { RoomNotes } from "./room-notes.ts";
import { SamePages } from "./same-pages.ts";
import { Schedules } from "./schedules.ts";
import { SearchHits } from "./search-hits.ts";
import { Signals } from "./signals.ts";
import { Sitemaps } from "./sitemaps.ts";
import { Surveys } from "./surveys.ts";
import { ToldChanges } from "./told-changes.ts";
import { ToldTroubles } from "./told-troubles.ts";
import { Versions } from "./versions.ts";
import { WaitingDocuments } from "./waiting-documents.ts";
import { Waits } from "./waits.ts";
import { WatchHosts } from "./watch-hosts.ts";
import { Webhooks } from "./webhooks.ts";
import { WithheldUrls } from "./withheld-urls.ts";

/** The stores in D1 and R2 that the rest of the program uses. */
export type Store = ReturnType<typeof openStore>;

/**
 * Opens the stores for one request or batch. Its meter counts all their usage. Opening them sends no request. `clock`:
 * measures the waits between two tries of a database call.
 */
export function openStore(
  { LEDGER, MIRROR }: Pick<Env, "LEDGER" | "MIRROR">,
  meter: Meter,
  clock: Pick<Clock, "sleep"> = systemClock,
) {
  const databaseSize = new DatabaseSize();
  const db = meteredDatabase(LEDGER, meter, clock, databaseSize);
  const bucket = meteredBucket(MIRROR, meter);
  const told = new Set<string>();
  return {
    ledger: new Ledger(db, told),
    records: new Records(db),
    lowered: new Lowered(db),
    marks: new Marks(db),
    labels: new Labels(db),
    mementos: new Mementos(db),
    versions: new Versions(db),
    schedules: new Schedules(db),
    sitemaps: new Sitemaps(db),
    readings: new Readings(db),
    indexnow: new IndexNow(db),
    signals: new Signals(db),
    waits: new Waits(db),
    motion: new Motion(db),
    dueVisits: new DueVisits(db),
    changes: new Changes(db),
    templates: new HostTexts(db, "templates", "template"),
    samePages: new SamePages(db),
    endlessHosts: new EndlessHosts(db),
    withheldUrls: new WithheldUrls(db),
    renderMemory: new LearnedByHost<RenderMemory>(db, "render_memory", EMPTY_RENDER_MEMORY),
    /** The subjects of crawls that have one. */
    topics: new LearnedByCrawl<LearnedTopic>(db, "topics"),
    oldVersions: new OldVersions(db),
    watchHosts: new WatchHosts(db),
    surveys: new Surveys(db),
    feeds: new Feeds(db),
    cookies: new HostTexts(db, "cookies", "jar"),
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
    deletions: new Deletions(db),
    reports: new Reports(db),
    searchHits: new SearchHits(db),
    reindexing: new Reindexing(db),
    archiveIndex: new ArchiveIndex(db),
    installationUsage: new InstallationUsage(db),
    installationKey: new InstallationKey(db),
    mirror: new Mirror(bucket),
    packs: new Packs(bucket),
    /** Documents that wait for the reader Worker. */
    documents: new Documents(bucket),
    /** What the ledger knows of them. */
    waitingDocuments: new WaitingDocuments(db),
    /** Whose turn it is at the reader. */
    documentTurns: new DocumentTurns(db),
    passes: new Passes(db),
    passObjects: new PassObjects(bucket),
  };
}
