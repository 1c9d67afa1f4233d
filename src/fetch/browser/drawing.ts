import type { PageHeaders } from "../../crawl/page/outcome.ts";
import type { ActionsDone, PageActions } from "../../crawl/page/page-actions.ts";
import type { Reason } from "../../crawl/page/reason.ts";

/** What the page fetcher and a browser session say to one another: plain data, for it goes between invocations. */

/** A page to draw: the answer that the page fetcher has. */
export interface DrawRequest {
  url: string;
  userAgent: string;
  answer: ResourceAnswer;
  /** How long it may wait for a place in a browser that has started, in milliseconds. */
  patienceMs: number;
  /** Time to draw it and to do `actions` on it, in milliseconds. */
  timeoutMs: number;
  actions: PageActions;
  /** Whether a picture of it is taken. */
  screenshot: boolean;
}

/** Time to make an empty page before a drawing, in milliseconds. */
export const PREPARING_MS = 15_000;
/** Time to write a drawn page as HTML, and for a picture of it, in milliseconds. */
export const WRITING_MS = 5_000;

/** How a drawn page looks. */
export interface DrawnView {
  /** A JPEG. */
  picture: Uint8Array;
  /** The text that it shows, as the browser lays it out. */
  text: string;
}

/** The kinds of requests that a page needs for its text. All others are refused. */
export const NEEDED_KINDS = ["document", "script", "stylesheet", "xhr", "fetch"] as const;
/** The kinds that it needs beside them to look right. */
export const LOOK_KINDS = ["image", "font"] as const;

/** A request that a page makes. */
export interface AskedResource {
  url: string;
  method: string;
  /** The browser's name for its purpose: "script", "image" and others. */
  kind: string;
  /** As the browser would send them, without cookies. */
  headers: Record<string, string>;
}

export interface ResourceAnswer {
  status: number;
  headers: PageHeaders;
  body: Uint8Array;
}

/** Answers a request of the page: with an answer, or with the word under which its refusal is counted. */
export type AnswerResource = (asked: AskedResource) => Promise<ResourceAnswer | { refused: string }>;

export type Drawing =
  | {
      kind: "drawn";
      /** The page's elements as HTML, with open shadow roots and the frames of its own origin. */
      html: string;
      /** Absolute URLs to which its scripts wanted to lead, and the one that they show in the address bar. */
      ways: string[];
      /** Whether it still changed or waited for answers when its time was up. */
      isUnfinished: boolean;
      /** Null if nothing was to be done on it. */
      done: ActionsDone | null;
      /** Present if it was asked for; a sentence says why there is none. */
      view?: DrawnView | string;
      /** Time that the page held the browser, in milliseconds. */
      browserMs: number;
    }
  | {
      kind: "failed";
      /** `too-complex`: the page is more than one page may be. */
      reason: Extract<Reason, "render" | "too-complex">;
      detail: string;
      /** Whether the browser failed, not the page. */
      isOurs: boolean;
      /** Whether another attempt may succeed. */
      retryable: boolean;
      browserMs: number;
    };

/** With the time that the browser has been open since its last bill, in milliseconds. */
export type BilledDrawing = Drawing & { billedMs: number };

/** Whether a page got its place: other pages hold the browser for longer than it may wait. */
export type SessionAnswer = BilledDrawing | { kind: "no-place" };
