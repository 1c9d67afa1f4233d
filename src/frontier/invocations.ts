import type { Deps } from "./deps.ts";

/**
 * Counts the Worker invocations of one batch. A request may start 32, and the next call throws:
 * https://developers.cloudflare.com/workers/runtime-apis/bindings/service-bindings/#limits. So a batch sets aside what
 * a URL may need before it starts it, and sends a URL for which not enough are left again.
 */

/** The calls that start an invocation, beside those of the hook. */
const CALLS = [
  "fetchPage",
  "readPage",
  "fetchMedia",
  "fetchSitemap",
  "fetchHead",
  "readHeavyPage",
  "readContent",
  "readVersion",
  "readFields",
] as const satisfies readonly (keyof Deps)[];

export class Invocations {
  readonly #limit: number;
  #started = 0;
  #setAside = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many may be started that are not set aside. */
  get left(): number {
    return Math.max(0, this.#limit - this.#started - this.#setAside);
  }

  /** Counts an invocation. */
  start(): void {
    this.#started += 1;
  }

  /** The dependencies, with calls that count. */
  counting(deps: Deps): Deps {
    const counted = CALLS.map((name) => {
      const call = deps[name] as (...args: unknown[]) => unknown;
      const counting = (...args: unknown[]): unknown => {
        this.start();
        return call.apply(deps, args);
      };
      return [name, counting];
    });
    return { ...deps, ...(Object.fromEntries(counted) as Pick<Deps, (typeof CALLS)[number]>) };
  }
}
