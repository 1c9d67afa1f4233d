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

/** The starts that are alike at each time, so that a build can keep how workerd starts for them (kept-message.ts). */
export const KEPT_STARTS = {
  "reads-ledger": { reads: "ledger" },
  "reads-pages": { reads: "pages" },
  crawl: {},
} satisfies Record<string, Pick<HostOrder, "reads">>;
export type KeptStart = keyof typeof KEPT_STARTS;

/** Null if miniflare must start it: for the console, with a browser, or with a hook. */
export function keptStartOf({ port, host, hasConsole, browser, hook, reads }: Partial<HostOrder>): KeptStart | null {
  const isUsual = (port ?? 0) === 0 && host === undefined && !hasConsole && browser === undefined && hook === undefined;
  if (!isUsual) return null;
  return reads === undefined ? "crawl" : `reads-${reads}`;
}

/** The second argument of a host that probably needs miniflare: it loads it ahead. */
export const LOADS_MINIFLARE = "miniflare";

/** The first message from the host process. The second is a boolean: it goes on for other commands. */
export type HostAnswer =
  | {
      url: string;
      warnings: string[];
      /** Whether other commands can join it. */
      isShared: boolean;
    }
  | { problem: string; inUse: { holder: number | null; isStarting: boolean } | null };
