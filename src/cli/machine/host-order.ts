/** What a command and the host process of its state folder say to each other. */

/** The first message to the host process. The second, of any value, asks whether it goes on for other commands. */
export interface HostOrder {
  /** 0 selects a free port. */
  port: number;
  /** The address to listen on; absent for this machine alone. */
  host?: string;
  token: string;
  /** A token for reading only. */
  readToken?: string;
  /** Whether it goes on when commands that use it beside this one end, and ends when this one does. */
  stays?: boolean;
  /** Whether the state folder is removed at the end, also when the command was killed. */
  isTemporary?: boolean;
  /** Whether browsers come, which need the files of public/. */
  hasConsole?: boolean;
  /** What the command reads, if it changes nothing. */
  reads?: Reads;
  /** The program of the browser that renders pages; absent if no crawl of the command does. */
  browser?: string;
  /** Hosts whose certificates are not checked. */
  insecure?: string[];
  /** The file of the operator's hook; absent if there is none. */
  hook?: string;
  /** How many ledgers the state folder has from now on; absent for as many as before. */
  ledgers?: number;
}

/** The ledger alone, or the stored pages too. */
export type Reads = "ledger" | "pages";

/** The second argument of a host whose command probably reads the ledger alone: it loads no miniflare ahead. */
export const READS_LEDGER = "reads-ledger";

/** The first message from the host process. The second is a boolean: it goes on for other commands. */
export type HostAnswer =
  | {
      url: string;
      warnings: string[];
      /** Whether other commands can join it. */
      isShared: boolean;
    }
  | { problem: string; inUse: { holder: number | null; isStarting: boolean } | null };
