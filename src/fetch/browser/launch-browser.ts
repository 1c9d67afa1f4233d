// The one library that speaks to Cloudflare's browser binding: it acquires the session, and knows the protocol's types.
import type { CDPEvents } from "@cloudflare/puppeteer";
import { DEFAULT_ACTIONS } from "../../crawl/page/page-actions.ts";
import { DevTools } from "./devtools.ts";
import { Tab } from "./tab.ts";

/** A browser that has started, with a connection to it. */

/** As in the library: the binding reads the path alone. */
const SESSIONS = "https://fake.host/v1/devtools/browser";

export class LaunchedBrowser {
  readonly #devtools: DevTools;
  readonly #end: () => Promise<unknown>;
  /** By browser context. */
  readonly #tabs = new Map<string, Tab>();

  /** `end`: ends the browser itself, whose connection may be gone. */
  constructor(devtools: DevTools, end: () => Promise<unknown>) {
    this.#devtools = devtools;
    this.#end = end;
    devtools.onEvent = (method, params) => {
      if (method !== "Target.attachedToTarget") return;
      const event = params as CDPEvents["Target.attachedToTarget"];
      this.#tabs.get(event.targetInfo.browserContextId ?? "")?.attach(event);
    };
  }

  get isOpen(): boolean {
    return this.#devtools.isOpen;
  }

  /** Resolves when the connection has ended. */
  get ended(): Promise<void> {
    return this.#devtools.ended;
  }

  /** Every page waits, before anything of it runs, until it is known whose it is. */
  async watchPages(): Promise<void> {
    const options = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
    await this.#devtools.send("Target.setAutoAttach", { ...options, filter: [{ type: "page" }] });
  }

  /** Resolves with whether the browser still answers. */
  async answers(): Promise<boolean> {
    return this.#devtools.send("Browser.getVersion").then(
      () => true,
      () => false,
    );
  }

  /** An empty page in a context of its own. */
  async openTab(): Promise<Tab> {
    const context = await this.#devtools.send("Target.createBrowserContext", { disposeOnDetach: true });
    const { browserContextId } = context;
    const tab = new Tab(this.#devtools, browserContextId);
    this.#tabs.set(browserContextId, tab);
    await tab.prepare(DEFAULT_ACTIONS.viewport);
    return tab;
  }

  /** Closes a page. A context that does not close ends with its browser. */
  async closeTab(tab: Tab): Promise<void> {
    for (const [context, one] of this.#tabs) if (one === tab) this.#tabs.delete(context);
    await tab.close().catch(() => undefined);
  }

  /** Ends the browser, whatever it does. */
  async close(): Promise<void> {
    void this.#devtools.send("Browser.close").catch(() => undefined);
    await this.#end().catch(() => undefined);
    this.#devtools.close();
  }
}

/** Starts a browser that reaches no host by itself. */
export async function launchBrowser(binding: Pick<Fetcher, "fetch">): Promise<LaunchedBrowser> {
  // Loaded here: a crawl without rendered pages does not pay for it.
  const { default: puppeteer } = await import("@cloudflare/puppeteer");
  // Cloudflare lets such a browser reach no host at all. This machine's browser has flags for that.
  const { sessionId } = await puppeteer.acquire(binding as never, { guardrails: { allowedDomains: [] } });
  const path = `${SESSIONS}/${sessionId}`;
  const end = async () => binding.fetch(path, { method: "DELETE" });
  try {
    const { webSocket } = await binding.fetch(path, { headers: { upgrade: "websocket" } });
    if (webSocket === null) throw new Error("the browser takes no connection");
    webSocket.accept();
    const browser = new LaunchedBrowser(new DevTools(webSocket), end);
    await browser.watchPages();
    return browser;
  } catch (error) {
    await end().catch(() => undefined);
    throw error;
  }
}
