import type { Summary } from "../output/summary.ts";
import type { CrawlRequest, Page } from "./table-types.ts";

/** The types of the library. The package has this text as its declarations, after those that it imports. */

export interface LibraryOptions extends Omit<CrawlRequest, "formats"> {
  /** The formats of each page: `page.markdown` and so on. None: `[]`. Default: `["markdown"]`. */
  formats?: CrawlRequest["formats"];
  /**
   * The folder that keeps the crawl on this machine, such as `.orbweaver`, that of the command line. Without it, the
   * crawl lies in a temporary folder, which is removed at the end.
   */
  state?: string | undefined;
  /** The address of a deployed Orbweaver, or of `orbweaver serve`, that crawls instead of this machine. */
  remote?: string | undefined;
  /** The token of `remote`. Default: the environment's ORBWEAVER_TOKEN. */
  token?: string | undefined;
  /** Send the token unencrypted to an http:// address on another machine. */
  insecureHttp?: boolean | undefined;
  /**
   * Read as who is logged in: a file of cookies (cookies.txt, Playwright's storage state, a HAR). Only those of the
   * seeds' hosts are kept, for this crawl alone. `session` names one that `orbweaver session add` has kept.
   */
  cookieFile?: string | undefined;
  /** Ends the crawl when it is aborted. The loop then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface CrawlOptions extends LibraryOptions {
  /**
   * `pages`: completed pages. `all`: every URL of the crawl, also assets and those that failed, were skipped or
   * refused; `status`, `reason` and `explanation` say why. Default: `pages`.
   */
  records?: "pages" | "all" | undefined;
  /**
   * `true`: go on with the newest crawl of these seeds that has not ended, or start one. A text: go on with the crawl
   * of this id, whatever its seeds. Its pages of before come first. A loop that ends early then pauses the crawl
   * instead of cancelling it. It needs `state` or `remote`.
   */
  resume?: boolean | string | undefined;
}

/** A crawl that runs while it is read, once, by `for await`. */
export interface CrawlRun extends AsyncIterable<Page> {
  [Symbol.asyncIterator](): AsyncGenerator<Page, Summary, undefined>;
  /** The id of the crawl; null until it has started. */
  readonly id: string | null;
  /** What came of the crawl, as the command line's `--json` prints it; null until the loop has ended. */
  readonly summary: Summary | null;
}

/**
 * What to do about an error. `invalid-option`: change the option. `unauthorized`: give another token. `not-found`:
 * there is no such crawl. `unreachable`: start the installation, or try again. `not-read`: the page has no content, and
 * the message says why. `failed`: all else.
 */
export type ErrorCode = "invalid-option" | "unauthorized" | "not-found" | "unreachable" | "not-read" | "failed";

/** An error of the library. Its message says what is wrong, and what to do. */
export declare class OrbweaverError extends Error {
  readonly code: ErrorCode;
  /** The option at fault, such as `limit` or `options.includePatterns.0`; null if none is. */
  readonly option: string | null;
  constructor(code: ErrorCode, message: string, option?: string | null, cause?: unknown);
}

/**
 * Crawls from one or more seeds. The crawl starts when the loop does, and pages come in the order in which they finish,
 * each once. Leaving the loop early, by `break` or by an error, ends the crawl.
 */
export declare function crawl(urls: string | readonly string[], options?: CrawlOptions): CrawlRun;

/** Reads one page, and keeps nothing. Redirects are followed. Throws OrbweaverError. */
export declare function read(url: string, options?: LibraryOptions): Promise<Page>;
