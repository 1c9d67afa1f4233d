import { DurableObject } from "cloudflare:workers";
import { clockOf } from "../core/clock.ts";
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

/** The host gate: a Durable Object per host name. It is a thin shell around a gatekeeper. */

/**
 * An idle gate leaves workerd's memory after this time; its state is in its storage. SQLite takes 0.4 MB for each gate,
 * and workerd alone waits for 70 s, so a crawl of a thousand hosts would take 400 MB. On Cloudflare the platform evicts
 * idle objects (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/), and a timer
 * would keep them in memory.
 */
const IDLE_MS = 500;

export class HostGate extends DurableObject<Env> implements Gate {
  readonly #keeper: Gatekeeper;
  readonly #isLocal: boolean;
  #calls = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { kv } = ctx.storage;
    this.#isLocal = env.BOOT !== undefined;
    const ownHosts = (env.OWN_HOSTS ?? "").toLowerCase().split(/\s+/);
    const clock = clockOf(env);
    this.#keeper = new Gatekeeper({
      storage: { get: (key) => kv.get(key), put: (key, value) => kv.put(key, value) },
      clock,
      fetchRobots: (origin, request, before) => fetchRobots(origin, request, before, env),
      gate: (host) => env.HOST_GATE.get(env.HOST_GATE.idFromName(host)),
      isOwn: (hostname) => ownHosts.includes(hostname),
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
    clearTimeout(this.#idleTimer);
    try {
      return await call;
    } finally {
      this.#calls -= 1;
      if (this.#isLocal && this.#calls === 0) this.#idleTimer = setTimeout(() => this.#leave(), IDLE_MS);
    }
  }

  /** Stays while a lane holds the host: leaving breaks the stub of its consumer. A later call has a new stub. */
  #leave(): void {
    if (this.#keeper.isAtRest) this.ctx.abort("this gate is idle");
  }
}
