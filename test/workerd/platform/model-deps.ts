import { env } from "cloudflare:test";
import { bindingOf } from "../../../src/crawl/ledger-name.ts";
import type { NoticeAnswer, NoticeRequest } from "../../../src/fetch/request/post-notice.ts";
import type { DocumentMessage, FrontierMessage } from "../../../src/frontier/batch/message.ts";
import type { Deps } from "../../../src/frontier/deps.ts";
import { Invocations } from "../../../src/frontier/lane/invocations.ts";
import { Ledgers } from "../../../src/frontier/ledgers.ts";
import { StoppedCrawls } from "../../../src/frontier/stopped-crawls.ts";
import type { NoticeHint } from "../../../src/frontier/visits/notice-hint.ts";
import { VISIT_LANE_MS } from "../../../src/host/full-lane.ts";
import { meteredGate } from "../../../src/host/metered-gate.ts";
import { Meter, meteredQueue } from "../../../src/store/installation/metered.ts";
import { openStore } from "../../../src/store/store.ts";
import type { ModelDatabase } from "./database.ts";
import { asSentBy } from "./deploy.ts";
import { DOCUMENT_TYPE } from "./document-served.ts";
import { type Invocation, MAX_INVOCATIONS } from "./invocation.ts";
import { Network, type Surroundings } from "./network.ts";
import type { Platform } from "./platform.ts";
import type { ModelQueue } from "./queue.ts";

/** The dependencies of the pipeline, as the model gives them to one invocation. */

const SEND_MS = 30;
/** As `EDGE_LIMITS` in frontier/deps.ts. */
const EDGE_FETCHES = 5;
const EDGE_READERS = 4;

interface Settings {
  /** Failures in a row after which the pipeline gives up a URL. */
  failures: number;
  /** What the receiver of a notice answers, and how long it takes. */
  receiver: (request: NoticeRequest) => NoticeAnswer & { ms: number };
}

export function modelDepsOf(
  invocation: Invocation,
  platform: Platform,
  around: Surroundings,
  settings: Settings,
  meter = new Meter(),
  ledger = 0,
  shared?: Ledgers<Deps>,
): Deps {
  const { databases, bucket, gates, web, readerWorker, time, random } = platform;
  const network = new Network(around);
  const { isolate } = invocation;
  const mirror = bucket.bindingOf(invocation);
  const queueOf = <T>(name: string, queue: ModelQueue<T>, asSent = (all: MessageSendRequest<T>[]) => all): Queue<T> =>
    ({
      sendBatch: async (messages: Iterable<MessageSendRequest<T>>) => {
        const batch = asSent([...messages]);
        queue.counts.requested += batch.length;
        await invocation.connections.take();
        try {
          const effect = () => queue.send(batch);
          await network.call(invocation, { name, latencyMs: SEND_MS, effect });
        } finally {
          invocation.connections.release();
        }
      },
    }) as unknown as Queue<T>;
  /** A call that the model's crawls do not make. It counts as an invocation all the same. */
  const unserved = (why: string) =>
    web.serve<never>(invocation, async () => {
      throw new Error(why);
    });
  const asVersioned = (all: MessageSendRequest<FrontierMessage>[]) => asSentBy(isolate.version, all);
  const bindings = Object.fromEntries(databases.map((each, i) => [bindingOf(i), each.bindingOf(invocation)]));
  const database = databases[ledger] as ModelDatabase;
  const open = (each: number, all?: Ledgers<Deps>, its = meter) =>
    modelDepsOf(invocation, platform, around, settings, its, each, all);
  const ledgers =
    shared ??
    new Ledgers<Deps>(
      databases.map((_, i) => i),
      (each, all) => (each === ledger ? deps : open(each, all)),
      (each) => open(each, undefined, new Meter()),
    );
  const deps: Deps = {
    ledgers,
    ...openStore(
      { LEDGER: bindings.LEDGER as D1Database, ...bindings, MIRROR: mirror, SESSION_KEY: env.SESSION_KEY },
      meter,
      invocation.clockOf(time),
      ledger,
    ),
    frontier: meteredQueue(queueOf("queue.sendBatch", platform.frontier, asVersioned), meter),
    documentQueue: meteredQueue(queueOf<DocumentMessage>("documents.sendBatch", platform.documents), meter),
    notices: queueOf<NoticeHint>("notices.sendBatch", platform.notices),
    hook: platform.hook?.callerOf(invocation) ?? null,
    readHeavyPage: (received, request, durationMs) => readerWorker.read(invocation, received, request, durationMs),
    postNotice: async (request) => {
      // As fetch/request/post-notice.ts, it never throws: an answer that is lost is no answer.
      const { ms, ...answer } = settings.receiver(request);
      const call = { name: "receiver", latencyMs: ms, effect: () => answer };
      return network.call(invocation, call).catch((error: unknown) => {
        return { status: null, retryAfterMs: null, detail: String(error) };
      });
    },
    gate: (host) => meteredGate(gates.stubOf(invocation, host), meter),
    fetchPage: (request, secrets, gateway, copy) => web.fetchPage(invocation, request, secrets, mirror, gateway, copy),
    readArchived: async () => {
      throw new Error("no archive is imported here");
    },
    readPage: (stored, request) =>
      stored.contentType === DOCUMENT_TYPE
        ? readerWorker.read(invocation, stored, request, 0)
        : web.readPage(invocation, request),
    fetchMedia: (request, secrets) => web.fetchMedia(invocation, request, secrets),
    fetchSitemap: (request) => web.fetchSitemap(invocation, request),
    fetchHead: () => unserved("no pass runs here"),
    logIn: () => unserved("no log-in is written down"),
    writeExportPart: () => unserved("no pass runs here"),
    isDeadName: async () => false,
    databaseLimit: async () => ({ limitBytes: database.limitBytes, diskFreeBytes: null }),
    alarm: null,
    model: "this world has no model",
    passRuns: env.PASSES,
    boot: null,
    readVersion: ({ body }) => web.readVersion(invocation, body),
    readFields: () => web.serve(invocation, async () => null),
    readContent: ({ body }) => web.readContent(invocation, body),
    clock: invocation.clockOf(time),
    meter,
    unbilled: isolate.unbilled,
    seen: isolate.seen,
    contexts: isolate.contexts,
    recordedRobots: isolate.recordedRobots,
    hostTemplates: isolate.hostTemplates,
    recentAnswers: isolate.recentAnswers,
    samePagePartners: isolate.samePagePartners,
    groupCounts: isolate.groupCounts,
    learned: isolate.learned,
    invocations: new Invocations(MAX_INVOCATIONS),
    random: () => random.next(),
    workload: { batches: 0, failure: null, stopped: new StoppedCrawls() },
    limits: {
      ...{ fetches: EDGE_FETCHES, drawings: 25, readers: EDGE_READERS },
      ...{ failures: settings.failures, invocations: MAX_INVOCATIONS, visitLaneMs: VISIT_LANE_MS, longLanes: true },
    },
  };
  return deps;
}
