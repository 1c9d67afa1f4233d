import type { CDPEvents } from "@cloudflare/puppeteer";
import type { Viewport } from "../../crawl/page/page-actions.ts";
import type { DevTools, Receiver, Send } from "./devtools.ts";
import { GUARD } from "./page-scripts.ts";

/**
 * One page of a browser, in a context of its own, which shares nothing with other pages. What its scripts can send
 * here is bounded: whatever goes beyond ends this page alone, before it is read.
 */

/**
 * Bounds for all messages of a page. A page of 1,000 requests has some 2,100, and its HTML is one. In characters.
 */
const MAX_MESSAGES = 10_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** One event: a request with its URL, headers and body, or an address that the page leads to. In characters. */
const MAX_EVENT_CHARACTERS = 1024 * 1024;
/** Requests of a page, sent or refused. */
const MAX_REQUESTS = 2_000;

/** Only these are intercepted: `data:` and `blob:` reach nobody, and never leave the browser. */
const INTERCEPTED = [{ urlPattern: "http://*" }, { urlPattern: "https://*" }];
const WORLD = "orbweaver";

/** The page is more than one page may be. */
export class TooComplex extends Error {
  /** Whether it may be another page's fault, or that of a busy machine. */
  readonly mayPass: boolean;

  constructor(detail: string, mayPass = false) {
    super(detail);
    this.mayPass = mayPass;
  }
}

export type PausedRequest = CDPEvents["Fetch.requestPaused"];

/** A cookie of the browser. `domain`: with a leading dot for the hosts below, too. `expires`: seconds; -1 for none. */
export interface TabCookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  secure: boolean;
  expires: number;
}

/** A cookie for the host of `url`, or for a domain. */
export type CookieToSet = Omit<TabCookie, "domain" | "expires"> & Partial<TabCookie> & { url: string };

/** What the page's owner hears. */
export interface TabListener {
  /** `send` answers it. */
  onRequest(request: PausedRequest, send: Send, isMainDocument: boolean): void;
}

export class Tab implements Receiver {
  /** Rejects when the page ends before `close`. */
  readonly ended: Promise<never>;
  readonly #devtools: DevTools;
  readonly #context: string;
  readonly #fail: (error: Error) => void;
  readonly #sessions: string[] = [];
  readonly #attached = Promise.withResolvers<{ session: string; target: string }>();
  readonly #loaded = Promise.withResolvers<void>();
  #target: string | null = null;
  #userAgent: string | null = null;
  #world: number | null = null;
  #hasDocument = false;
  #isOver = false;
  #messages = 0;
  #characters = 0;
  #requests = 0;
  listener: TabListener | null = null;

  constructor(devtools: DevTools, context: string) {
    this.#devtools = devtools;
    this.#context = context;
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.ended = promise;
    this.#fail = reject;
    void devtools.ended.then(() => this.#end(new Error("the browser is gone")));
  }

  /** Resolves when the page is there, empty and with everything off that a page is not to have. */
  async prepare(viewport: Viewport): Promise<void> {
    const browserContextId = this.#context;
    const denied = this.#devtools.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId });
    await Promise.all([denied, this.#devtools.send("Target.createTarget", { url: "about:blank", browserContextId })]);
    const { session } = await Promise.race([this.#attached.promise, this.ended]);
    await Promise.all([this.#arm(session), this.resize(viewport)]);
  }

  /** Whether the browser shows the page's own document, parsed or not, in place of the empty one of a new tab. */
  get hasDocument(): boolean {
    return this.#hasDocument;
  }

  readonly send: Send = async (method, params) => {
    const { session } = await this.#attached.promise;
    return Promise.race([this.#devtools.sendTo(session, method, params), this.ended]);
  };

  async resize({ width, height }: Viewport): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }

  async setUserAgent(userAgent: string): Promise<void> {
    this.#userAgent = userAgent;
    await this.send("Emulation.setUserAgentOverride", { userAgent });
  }

  /** Resolves when the document is parsed, with its scripts. Rejects if the browser refuses it. */
  async navigate(url: string): Promise<void> {
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText !== undefined) throw new Error(errorText);
    await Promise.race([this.#loaded.promise, this.ended]);
  }

  /**
   * Runs a script in a world of our own, whose built-in objects the page cannot change, and resolves with what it
   * returns. The world lasts as long as the document.
   */
  async run(expression: string): Promise<unknown> {
    const { target } = await this.#attached.promise;
    const created = async () =>
      (await this.send("Page.createIsolatedWorld", { frameId: target, worldName: WORLD })).executionContextId;
    const evaluate = async (contextId: number) =>
      this.send("Runtime.evaluate", {
        ...{ expression, contextId, returnByValue: true, awaitPromise: true, userGesture: true },
      });
    this.#world ??= await created();
    const evaluated = await evaluate(this.#world).catch(async (error: unknown) => {
      if (!/context/i.test(String(error))) throw error;
      // The page has another document.
      this.#world = await created();
      return evaluate(this.#world);
    });
    const { result, exceptionDetails } = evaluated;
    if (exceptionDetails === undefined) return result.value;
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  /** The cookies of its context, which no other page has. */
  async cookies(): Promise<TabCookie[]> {
    return (await this.#devtools.send("Storage.getCookies", { browserContextId: this.#context })).cookies;
  }

  async setCookies(cookies: CookieToSet[]): Promise<void> {
    await this.#devtools.send("Storage.setCookies", { browserContextId: this.#context, cookies });
  }

  /** Ends the page and its processes, whatever its scripts do. */
  async close(): Promise<void> {
    this.#end(new Error("the page is closed"));
    await this.#devtools.send("Target.disposeBrowserContext", { browserContextId: this.#context });
  }

  /** Hears of a target of this context: the page itself, or a window that it has opened, which is closed. */
  attach({ sessionId, targetInfo }: CDPEvents["Target.attachedToTarget"]): void {
    if (this.#target === null) {
      this.#target = targetInfo.targetId;
      this.#hold(sessionId);
      this.#attached.resolve({ session: sessionId, target: targetInfo.targetId });
      return;
    }
    if (!this.admit(targetInfo.url.length, true)) return;
    // Nothing of it has run: it waits for a debugger.
    void this.#devtools.send("Target.closeTarget", { targetId: targetInfo.targetId }).catch(() => undefined);
  }

  admit(characters: number, isEvent: boolean): boolean {
    if (this.#isOver) return false;
    this.#messages += 1;
    this.#characters += characters;
    if (isEvent && characters > MAX_EVENT_CHARACTERS)
      this.#end(new TooComplex(`one of its requests or addresses has ${characters.toLocaleString("en")} characters`));
    else if (this.#messages > MAX_MESSAGES)
      this.#end(new TooComplex(`its scripts cause more than ${MAX_MESSAGES.toLocaleString("en")} events`));
    else if (this.#characters > MAX_CHARACTERS)
      this.#end(new TooComplex(`its events have more than ${MAX_CHARACTERS.toLocaleString("en")} characters`));
    return !this.#isOver;
  }

  receive(session: string, method: string, params: unknown): void {
    const send: Send = (name, given) => this.#devtools.sendTo(session, name, given);
    const isMain = session === this.#sessions[0];
    if (method === "Fetch.requestPaused") this.#request(params as PausedRequest, send);
    else if (method === "Target.attachedToTarget") this.#adopt(params as CDPEvents["Target.attachedToTarget"]);
    else if (method === "Page.javascriptDialogOpening")
      void send("Page.handleJavaScriptDialog", { accept: false }).catch(() => undefined);
    else if (method === "Inspector.targetCrashed" && isMain)
      this.#end(new TooComplex("it took more memory or processor time than a page may, and its tab ended", true));
    else if (method === "Page.frameNavigated") {
      const { frame } = params as CDPEvents["Page.frameNavigated"];
      if (frame.id !== this.#target) return;
      this.#world = null;
      this.#hasDocument = frame.url !== "about:blank";
    } else if (this.#hasDocument && this.#isParsed(method, params, isMain)) this.#loaded.resolve();
  }

  /** A page that leads elsewhere while it is parsed stops, and is not told as parsed. */
  #isParsed(method: string, params: unknown, isMain: boolean): boolean {
    if (method === "Page.domContentEventFired") return isMain;
    return method === "Page.frameStoppedLoading" && (params as CDPEvents[typeof method]).frameId === this.#target;
  }

  #request(request: PausedRequest, send: Send): void {
    this.#requests += 1;
    if (this.#requests > MAX_REQUESTS)
      this.#end(new TooComplex(`it makes more than ${MAX_REQUESTS.toLocaleString("en")} requests`));
    else {
      const isMainDocument = request.resourceType === "Document" && request.frameId === this.#target;
      this.listener?.onRequest(request, send, isMainDocument);
    }
  }

  /** A frame in a process of its own. Workers, which no page has, wait for a debugger for ever. */
  #adopt({ sessionId, targetInfo }: CDPEvents["Target.attachedToTarget"]): void {
    this.#hold(sessionId);
    if (targetInfo.type === "iframe") void this.#arm(sessionId).catch(() => undefined);
  }

  #hold(session: string): void {
    this.#sessions.push(session);
    this.#devtools.attach(session, this);
  }

  /** Everything of a session before a script of it runs. */
  async #arm(session: string): Promise<void> {
    const send: Send = (method, params) => this.#devtools.sendTo(session, method, params);
    const steps = [
      send("Page.enable"),
      send("Page.addScriptToEvaluateOnNewDocument", { source: GUARD }),
      send("Fetch.enable", { patterns: INTERCEPTED }),
      send("Network.setBypassServiceWorker", { bypass: true }),
      send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }),
      ...(this.#userAgent === null ? [] : [send("Emulation.setUserAgentOverride", { userAgent: this.#userAgent })]),
      send("Runtime.runIfWaitingForDebugger"),
    ];
    await Promise.race([Promise.all(steps), this.ended]);
  }

  #end(why: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const session of this.#sessions) this.#devtools.detach(session, why);
    this.#fail(why);
  }
}
