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
  "logIn",
  "readHeavyPage",
  "readContent",
  "readVersion",
  "readFields",
] as const;

type Calls = Record<(typeof CALLS)[number], (...args: never[]) => Promise<unknown>> & { invocations: Invocations };

/** Invocations that a URL may need. */
export interface Need {
  now: number;
  /** To learn what its host repeats, once it has been fetched. */
  toLearn: number;
  /** Calls of the hook when its batch ends, beside those for all URLs of the batch. */
  atEnd: number;
}

/** The platform would refuse the call. Unlike a call that failed, it says nothing about what was to be read. */
export class NoInvocationLeft extends Error {}

export class Invocations {
  readonly #limit: number;
  #started = 0;
  #setAside = 0;
  #atEnd: number;
  #hasBegun = false;

  /** `atEnd`: what the batch needs when its URLs are done. */
  constructor(limit: number, atEnd = 0) {
    this.#limit = limit;
    this.#atEnd = atEnd;
  }

  /** How many may be started that are not set aside for URLs. */
  get left(): number {
    return Math.max(0, this.#limit - this.#started - this.#setAside);
  }

  /**
   * Sets aside what a URL needs now, until `release`, and at the end of the batch. False if not enough are left: the
   * URL must wait for another batch. The first one always begins.
   */
  setAside({ now, toLearn, atEnd }: Need): boolean {
    if (this.#hasBegun && this.left < now + toLearn + atEnd + this.#atEnd) return false;
    this.#hasBegun = true;
    this.#setAside += now + toLearn;
    this.#atEnd += atEnd;
    return true;
  }

  release(count: number): void {
    this.#setAside -= count;
  }

  /** Counts an invocation. */
  start(): void {
    this.#started += 1;
  }

  /** The dependencies, with calls that count. One beyond the limit throws NoInvocationLeft. */
  counting<D extends Calls>(deps: D): D {
    const counted = CALLS.map((name) => {
      const call: (...args: never[]) => Promise<unknown> = deps[name];
      const counting = async (...args: never[]): Promise<unknown> => {
        if (this.#started >= this.#limit) throw new NoInvocationLeft(`${name}: no Worker invocation is left`);
        this.start();
        return call.apply(deps, args);
      };
      return [name, counting];
    });
    return { ...deps, ...Object.fromEntries(counted), invocations: this };
  }
}
