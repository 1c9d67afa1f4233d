import type { FormFill } from "../../core/form-fill.ts";
import type { RenderMode } from "../../crawl/crawl-options.ts";
import type { Leave, Validators } from "../../crawl/page/outcome.ts";
import type { PageActions } from "../../crawl/page/page-actions.ts";
import type { DrawnPage, Part } from "../../crawl/page/page-format.ts";
import type { PatternRenders } from "../../crawl/page/render-memory.ts";
import type { SignedInMark } from "../../crawl/session.ts";
import type { FieldRules } from "../../media/html/fields/field-rule.ts";
import type { DocumentKind } from "../../media/kind/document-kinds.ts";
import type { Request } from "../answer/answer.ts";
import type { CaptureRequest } from "../answer/capture-page.ts";
import type { LanguageRequest } from "../answer/page-language.ts";
import type { TopicRequest } from "../reading/read-topic.ts";
import type { DocumentOrder } from "../reading/store-document.ts";

/**
 * What is asked of a page. No field is optional: a path that does not carry one of them does not compile. Whoever makes
 * a request begins with ASKS_NOTHING and says what it adds. Nothing in it is secret: headers and cookies travel beside
 * it.
 */

/** What decides whether a page is kept, and what its links are. */
export interface LinkWants {
  /** Whether the page's own robots directives are obeyed. */
  pageRobots: boolean;
  /** Whether URLs in its scripts count as links. */
  scriptLinks: boolean;
  /** Whether Markdown is wanted in place of HTML: then its links count. */
  preferMarkdown: boolean;
  /** Search forms to fill in. */
  forms: readonly FormFill[];
  /** Whether the crawl keeps requisites. */
  assets: boolean;
  /** The kinds of documents that count as pages. */
  documents: readonly DocumentKind[];
  /** Whether it is a requisite itself: any type will do, and it is not read as a page. */
  asset: boolean;
  /** Why the page is read for its links alone, as the crawl has decided; null if it may be stored. */
  linksOnly: Leave | null;
  /** Pages that have not changed since are not stored: seconds since the Unix epoch; null is no limit. */
  modifiedSince: number | null;
  /** As in ScopeInput: null where links that change something are followed as any others. */
  allowActions: readonly string[] | null;
  /** How a page looks with the session that the request carries; null without a session. */
  signedIn: Exclude<SignedInMark, { kind: "url" }> | { kind: "asks" } | null;
}

/** What is made of a page. */
export interface ContentWants extends LanguageRequest {
  /** Whether the crawl describes media: of a page those that it shows, of a requisite itself. */
  media: boolean;
  /** The parts of its content to make and store. */
  parts: readonly Part[];
  /** Fields to read by rules; null for none. */
  fields: FieldRules | null;
  /** Whether the search index needs its text. */
  search: boolean;
  /** Whether the installation's hook needs its text. */
  hook: boolean;
  /** To compare it with an earlier version of the page: what does not count; null if it is not compared. */
  version: VersionRequest | null;
  /** Whether it is asked what the whole page says, beside its main text. */
  said: boolean;
  /** What is asked about the crawl's subject; null without one. */
  topic: TopicRequest | null;
  /** The page as a browser drew it, to be stored with its content; null for the answer of a server. */
  drawn: DrawnPage | null;
}

/** What is asked of a server, and done with its answer before it is read. */
export interface AnswerWants {
  /** Keep what has come of a broken body, as a browser shows it. Otherwise it is rejected, to be tried again. */
  keepBroken: boolean;
  /** For a crawl that packs pages: the result holds records instead of the body. */
  capture: CaptureRequest | null;
  /** Send If-Modified-Since with `modifiedSince`. */
  onCondition: boolean;
  /** The validators of the stored answer, to be told only of a newer one; null for an unconditional request. */
  validators: Validators | null;
  /** Where a document goes that the reader Worker reads; null if there is no place for one. */
  document: DocumentOrder | null;
  /** Null if no page is drawn by a browser. */
  render: RenderOptions | null;
  /** What is remembered of the pages of its URL pattern that a browser drew; null if nothing is. */
  renders: PatternRenders | null;
}

export interface PageWants extends LinkWants, ContentWants, AnswerWants {}

/** What is asked of a document that is there, whoever reads it: the page fetcher or the reader Worker. */
export interface ReadRequest extends LinkWants, ContentWants {
  /** Canonical. */
  url: string;
  /** Our product token: the name by which robots directives address us. */
  agent: string;
}

export interface PageRequest extends Request, ReadRequest, AnswerWants {
  /** Limit after decompression. */
  maxBodyBytes: number;
}

/** How a page is read to compare it. */
export interface VersionRequest {
  /** CSS selectors of elements that do not count for changes. */
  ignoredElements: readonly string[];
}

/** The version with all that the page says. */
export const ALL_SAID: VersionRequest = { ignoredElements: [] };

/** What a crawl wants of browsers. */
export interface RenderOptions {
  mode: RenderMode;
  actions: PageActions;
  /** The crawl's id: its pages share scripts. */
  crawl: string;
  /** Whether a picture of each drawn page is kept. */
  screenshot: boolean;
  /** Whether the page is drawn again later if a busy host keeps it from what it needs. Otherwise its record says so. */
  redraws: boolean;
}

/** Nothing is made of the page: only its links are read, and whether it is kept. */
export const MAKES_NOTHING: ContentWants = {
  media: false,
  parts: [],
  fields: null,
  search: false,
  hook: false,
  version: null,
  said: false,
  topic: null,
  drawn: null,
  languages: [],
  byLanguage: false,
};

/** Asks for nothing but the page and its links, and keeps nothing. */
export const ASKS_NOTHING: PageWants = {
  ...MAKES_NOTHING,
  pageRobots: false,
  scriptLinks: false,
  preferMarkdown: false,
  forms: [],
  assets: false,
  documents: [],
  asset: false,
  linksOnly: null,
  modifiedSince: null,
  allowActions: null,
  signedIn: null,
  keepBroken: false,
  capture: null,
  onCondition: false,
  validators: null,
  document: null,
  render: null,
  renders: null,
};
