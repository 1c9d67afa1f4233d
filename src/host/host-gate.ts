import { DurableObject } from "cloudflare:workers";
import { systemClock } from "../core/clock.ts";
import type {
  AdmitRequest,
  Gate,
  InspectRequest,
  LendRequest,
  RecallRequest,
  SettleRequest,
  StatusRequest,
} from "./gate-protocol.ts";
import { Gatekeeper } from "./gatekeeper.ts";
import { fetchRobots } from "./robots-file.ts";

/** The host gate: one Durable Object per host name, a thin shell around a gatekeeper. */

/**
 * A gate that nobody has asked for so long leaves workerd's memory, where SQLite has taken 0.4 MB for it: workerd itself waits for 70 s, which
 * makes 400 MB of a crawl of a thousand hosts. What a gate has to know stands in its storage. On Cloudflare the platform sees to it
 * (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/), and a timer would hold the object in memory.
 */
const IDLE_MS = 500;

export class HostGate extends DurableObject<Env> implements Gate {
  readonly #keeper: Gatekeeper;
  readonly #isLocal: boolean;
  #calls = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { kv } = ctx.storage;
    this.#isLocal = env.BOOT !== undefined;
    const own = (env.OWN_HOSTS ?? "").toLowerCase().split(/\s+/);
    this.#keeper = new Gatekeeper({
      storage: { get: (key) => kv.get(key), put: (key, value) => kv.put(key, value) },
      clock: systemClock,
      fetchRobots: (origin, request, before) => fetchRobots(origin, request, before, env),
      gate: (host) => env.HOST_GATE.get(env.HOST_GATE.idFromName(host)) as unknown as Gate,
      isOwn: (hostname) => own.includes(hostname),
      boot: env.BOOT ?? "",
    });
  }

  async admit(request: AdmitRequest) {
    return this.#answer(this.#keeper.admit(request));
  }

  async inspect(request: InspectRequest) {
    return this.#answer(this.#keeper.inspect(request));
  }

  async status(request: StatusRequest) {
    return this.#answer(this.#keeper.status(request));
  }

  async recall(request: RecallRequest) {
    return this.#answer(this.#keeper.recall(request));
  }

  async settle(request: SettleRequest) {
    return this.#answer(this.#keeper.settle(request));
  }

  async lend(request: LendRequest) {
    return this.#answer(this.#keeper.lend(request));
  }

  async #answer<T>(call: Promise<T>): Promise<T> {
    this.#calls += 1;
    clearTimeout(this.#idle);
    try {
      return await call;
    } finally {
      this.#calls -= 1;
      if (this.#isLocal && this.#calls === 0) this.#idle = setTimeout(() => this.#leave(), IDLE_MS);
    }
  }

  /** Whoever holds a lane has a stub that must not break; the next call comes with a stub of its own. */
  #leave(): void {
    if (this.#keeper.isAtRest) this.ctx.abort("nobody has asked this gate for a while");
  }
}
