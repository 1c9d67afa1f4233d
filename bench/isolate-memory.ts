import { setTimeout as sleep } from "node:timers/promises";

/**
 * Bytes of the Worker's own isolate, by the inspector of workerd: its V8 heap and the array buffers beside it. The
 * simulators of bindings have isolates of their own, which do not count.
 */
export interface IsolateBytes {
  heap: number;
  buffers: number;
}

/** Watches the isolate of the Worker on this port, until it is closed. */
export class IsolateMemory {
  readonly #socket: WebSocket;
  /** The most since `takePeak` was called. */
  #peak: IsolateBytes = { heap: 0, buffers: 0 };
  #asked = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const { result } = JSON.parse(String(data)) as { result?: { totalSize?: number; backingStorageSize?: number } };
      if (result?.totalSize === undefined) return;
      const now = { heap: result.totalSize, buffers: result.backingStorageSize ?? 0 };
      if (now.heap + now.buffers > this.#peak.heap + this.#peak.buffers) this.#peak = now;
    });
  }

  static async open(port: number, worker: string): Promise<IsolateMemory> {
    for (let attempt = 0; ; attempt++) {
      const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
        title: string;
        webSocketDebuggerUrl: string;
      }[];
      const target = targets.find(({ webSocketDebuggerUrl }) => webSocketDebuggerUrl.endsWith(worker));
      if (target === undefined) {
        if (attempt > 20) throw new Error(`workerd has no isolate ${worker}: ${JSON.stringify(targets)}`);
        await sleep(100);
        continue;
      }
      const socket = new WebSocket(target.webSocketDebuggerUrl);
      await new Promise((resolve, reject) => {
        socket.addEventListener("open", resolve);
        socket.addEventListener("error", reject);
      });
      return new IsolateMemory(socket);
    }
  }

  /**
   * The answer comes when the isolate is between two tasks. `isLive`: its garbage is collected first, and does not
   * count; that takes time.
   */
  ask(isLive: boolean): void {
    if (isLive) this.#socket.send(JSON.stringify({ id: ++this.#asked, method: "HeapProfiler.collectGarbage" }));
    this.#socket.send(JSON.stringify({ id: ++this.#asked, method: "Runtime.getHeapUsage" }));
  }

  takePeak(): IsolateBytes {
    const peak = this.#peak;
    this.#peak = { heap: 0, buffers: 0 };
    return peak;
  }

  close(): void {
    this.#socket.close();
  }
}
