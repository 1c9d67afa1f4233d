import type { DatabaseRoom, Deletable } from "./database-room.ts";

/** How a ledger is: how full, and when it had its last heartbeat. */
export interface LedgerState {
  ledger: number;
  room: DatabaseRoom;
  /** Crawls whose deletion would free most; none while there is room. */
  deletable: Deletable[];
  /** Null before the first one. */
  heartbeat: { at: string; report: unknown } | null;
}
