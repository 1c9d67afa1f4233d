import { availableParallelism } from "node:os";
import type { Request, Response } from "miniflare";
import { ReaderProcess } from "./reader-process.ts";
import type { ReaderBuild } from "./stored-build.ts";

/**
 * The reader Worker on this machine: two processes where there is a core for the second one, so that a document on
 * which one hangs does not stop the others. The second one starts when the first is busy.
 */

/** Each holds some 100 MB while it runs. */
const MOST_READERS = 2;

interface ReaderSettings {
  /** Defaults to what this machine has cores for. */
  readers?: number;
  /** Real time for one document, in milliseconds. */
  limitMs?: number;
}

export class ReaderProcesses {
  /** How many documents are read at once. */
  readonly count: number;
  readonly #all: ReaderProcess[];
  readonly #free: ReaderProcess[];
  readonly #line: ((reader: ReaderProcess) => void)[] = [];

  constructor(build: ReaderBuild, { readers, limitMs }: ReaderSettings = {}) {
    this.count = readers ?? Math.min(availableParallelism(), MOST_READERS);
    this.#all = Array.from({ length: this.count }, () => new ReaderProcess(build, limitMs));
    this.#free = [...this.#all];
  }

  /** Answers like `ReaderProcess.read`. First come, first served: the main Worker knows whose turn it is. */
  async fetch(request: Pick<Request, "arrayBuffer">): Promise<Response> {
    // The body is taken now: the caller sends it whatever is read before.
    const body = request.arrayBuffer();
    body.catch(() => undefined);
    const reader = await this.#take();
    try {
      return await reader.read(await body);
    } finally {
      this.#giveBack(reader);
    }
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#all.map((reader) => reader.dispose()));
  }

  /** One that runs, if there is one. */
  async #take(): Promise<ReaderProcess> {
    const started = this.#free.findIndex(({ isStarted }) => isStarted);
    const [free] = this.#free.splice(Math.max(started, 0), 1);
    return free ?? new Promise((resolve) => this.#line.push(resolve));
  }

  #giveBack(reader: ReaderProcess): void {
    const next = this.#line.shift();
    if (next === undefined) this.#free.push(reader);
    else next(reader);
  }
}
