import { systemClock } from "../../core/clock.ts";
import { inTime } from "../../core/in-time.ts";
import { logWarning } from "../../core/log.ts";
import type { FetchResult } from "../../crawl/page/outcome.ts";
import type { Documents } from "../../store/mirror/documents.ts";
import type { Secrets } from "../answer/answer.ts";
import type { PageRequest } from "../request/page-request.ts";
import { DocumentsDoor } from "./documents-door.ts";
import type { ProcessLease } from "./process-lease.ts";

/** Has a page fetched by the fetcher process (src/fetcher.ts), where there is one and the load is worth it. */

/**
 * Real time in which it answers after what a lane's lease leaves for the fetch: less than the lane itself waits
 * (frontier/lane/lane-deadline.ts). Later it hangs, and is ended.
 */
const HUNG_MS = 15_000;

/** What the fetcher process can do. */
interface FetcherProcess {
  fetchPage(request: PageRequest, secrets: Secrets, door: DocumentsDoor): Promise<FetchResult>;
}

class ProcessHung extends Error {
  constructor() {
    super("the fetcher process does not answer");
    this.name = "ProcessHung";
  }
}

interface Beside {
  env: Pick<Env, "FETCHER_PROCESS" | "FETCHER_ALWAYS" | "DIAGNOSIS">;
  lease: ProcessLease;
  documents: Documents;
  /** Batches of this isolate at the moment. */
  batches: number;
  /** Fetches the page in this process. */
  here: () => Promise<FetchResult>;
}

/** Rejects if the process ends or hangs on the page: then nobody knows whether its host was asked. */
export async function fetchBeside(
  request: PageRequest,
  secrets: Secrets,
  { env: { FETCHER_PROCESS, FETCHER_ALWAYS, DIAGNOSIS }, lease, documents, batches, here }: Beside,
): Promise<FetchResult> {
  if (FETCHER_PROCESS === undefined || DIAGNOSIS === undefined) return here();
  const { isHeld, asking } = lease.take(
    systemClock.now(),
    batches,
    () => askForProcess(DIAGNOSIS),
    FETCHER_ALWAYS !== undefined,
  );
  const there = async () => {
    try {
      const fetcher = FETCHER_PROCESS as unknown as FetcherProcess;
      const fetching = fetcher.fetchPage(request, secrets, new DocumentsDoor(documents));
      return await inTime(fetching, (request.leaseMs ?? request.timeoutMs) + HUNG_MS, () => new ProcessHung());
    } catch (error) {
      lease.lose();
      logWarning("fetcher-process-lost", { error: String(error) });
      if (error instanceof ProcessHung) await endProcess(DIAGNOSIS);
      throw error;
    }
  };
  const [result] = await Promise.all([isHeld ? there() : here(), asking]);
  return result;
}

async function endProcess(diagnosis: Fetcher): Promise<void> {
  await diagnosis.fetch("http://machine/fetcher/end", { method: "POST" }).catch(() => undefined);
}

/** For how long it runs at least from now, in milliseconds; null if this machine has none. */
async function askForProcess(diagnosis: Fetcher): Promise<number | null> {
  const answer = await diagnosis.fetch("http://machine/fetcher", { method: "POST" });
  return ((await answer.json()) as { leaseMs: number | null }).leaseMs;
}
