import { DevTools } from "../../src/fetch/browser/devtools.ts";
import { LaunchedBrowser } from "../../src/fetch/browser/launch-browser.ts";

/** A browser at the other end of a WebSocket, as far as a drawing speaks to it: a test says what its page sends. */

interface Command {
  id: number;
  method: string;
  params?: Record<string, unknown>;
  sessionId?: string;
}

/** What a page does when it has its document. `emit` sends an event of the page. */
export type PageScript = (emit: (method: string, params: object) => void) => void;

/** The page's own request number. */
export const asked = (at: number, request: object = {}) => ({
  requestId: `request-${at}`,
  request: { url: `https://a.test/asked/${at}`, method: "GET", headers: {}, ...request },
  frameId: "frame",
  resourceType: "Fetch",
});

export class ModelChrome {
  /** The commands that came, by method. */
  readonly counts = new Map<string, number>();
  /** The scripts that the page was told to run. */
  readonly expressions: string[] = [];
  /** Hears of each command before it is answered. */
  onCommand: (method: string) => void = () => undefined;
  /** Commands that get no answer, and have no effect. */
  readonly unanswered = new Set<string>();
  readonly browser: LaunchedBrowser;
  hasEnded = false;
  readonly #socket: WebSocket;
  readonly #scripts = new Map<string, PageScript>();
  #contexts = 0;
  #isDead = false;

  constructor() {
    const { 0: client, 1: server } = new WebSocketPair();
    client.accept();
    server.accept();
    this.#socket = server;
    server.addEventListener("message", ({ data }) => this.#receive(JSON.parse(String(data)) as Command));
    this.browser = new LaunchedBrowser(new DevTools(client), async () => {
      this.hasEnded = true;
    });
  }

  /** `script`: what the page at this URL does. */
  serve(url: string, script: PageScript): void {
    this.#scripts.set(url, script);
  }

  /** Ends the connection, as a browser does that gets a message beyond what a Worker takes. */
  die(): void {
    this.#isDead = true;
    this.#socket.close(1009, "too large");
  }

  #emit(sessionId: string | undefined, method: string, params: object): void {
    if (this.#isDead) return;
    this.#socket.send(JSON.stringify({ method, params, sessionId }));
  }

  #receive({ id, method, params = {}, sessionId }: Command): void {
    this.counts.set(method, (this.counts.get(method) ?? 0) + 1);
    if (method === "Runtime.evaluate") this.expressions.push(String(params.expression));
    this.onCommand(method);
    if (this.unanswered.has(method)) return;
    if (!this.#isDead) this.#socket.send(JSON.stringify({ id, result: this.#resultOf(method, params), sessionId }));
    if (method === "Target.createTarget") this.#attach(String(params.browserContextId));
    if (method === "Page.navigate") {
      const request = { ...asked(0, { url: params.url }), requestId: `main ${params.url}`, resourceType: "Document" };
      this.#emit(sessionId, "Fetch.requestPaused", { ...request, frameId: `frame ${sessionId}` });
    }
    if (method === "Fetch.fulfillRequest" && String(params.requestId).startsWith("main ")) {
      const url = String(params.requestId).slice(5);
      this.#emit(sessionId, "Page.frameNavigated", { frame: { id: `frame ${sessionId}`, url } });
      this.#scripts.get(url)?.((event, given) => this.#emit(sessionId, event, given));
      this.#emit(sessionId, "Page.domContentEventFired", {});
    }
  }

  #attach(browserContextId: string): void {
    const sessionId = `S${browserContextId}`;
    const targetInfo = { targetId: `frame ${sessionId}`, type: "page", url: "about:blank", browserContextId };
    this.#emit(undefined, "Target.attachedToTarget", { sessionId, targetInfo, waitingForDebugger: true });
  }

  #resultOf(method: string, { expression }: Record<string, unknown> = {}): object {
    if (method === "Target.createBrowserContext") return { browserContextId: String(++this.#contexts) };
    if (method === "Page.createIsolatedWorld") return { executionContextId: 1 };
    if (method !== "Runtime.evaluate") return {};
    const written = { html: "<p>drawn", href: "", base: "" };
    return { result: { value: String(expression).includes("MutationObserver") ? true : written } };
  }
}
