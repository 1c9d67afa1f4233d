import type { Installation } from "./installation.ts";

/**
 * An installation that is opened when it is used, and closed when nobody has used it for a while: a local one keeps
 * other commands out of its state folder.
 */
export class IdleInstallation {
  readonly #open: () => Promise<Installation>;
  readonly #idleMs: number;
  #opened: Promise<Installation> | null = null;
  #closing: Promise<void> = Promise.resolve();
  #users = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `idleMs`: Infinity keeps it open until `close`. */
  constructor(open: () => Promise<Installation>, idleMs: number) {
    this.#open = open;
    this.#idleMs = idleMs;
  }

  /**
   * Throws what opening it throws, and what `run` does. After an error, one that runs elsewhere is opened anew: a
   * `serve` may have ended.
   */
  async use<T>(run: (at: Installation) => Promise<T>): Promise<T> {
    this.#users += 1;
    clearTimeout(this.#timer);
    this.#opened ??= this.#closing.then(this.#open);
    const opened = this.#opened;
    let isOwn = false;
    try {
      const at = await opened;
      isOwn = at.isOwn;
      return await run(at);
    } catch (error) {
      if (!isOwn && this.#opened === opened) this.#opened = null;
      throw error;
    } finally {
      this.#users -= 1;
      if (this.#users === 0 && this.#idleMs !== Number.POSITIVE_INFINITY)
        this.#timer = setTimeout(() => void this.close(), this.#idleMs);
    }
  }

  /** Resolves when the state folder is free. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const opened = this.#opened;
    this.#opened = null;
    if (opened !== null) {
      const before = this.#closing;
      this.#closing = before.then(async () => (await opened.catch(() => null))?.dispose());
    }
    await this.#closing;
  }
}
