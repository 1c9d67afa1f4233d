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

export class HostGate extends DurableObject<Env> implements Gate {
  readonly #keeper: Gatekeeper;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { kv } = ctx.storage;
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
    return this.#keeper.admit(request);
  }

  async inspect(request: InspectRequest) {
    return this.#keeper.inspect(request);
  }

  async status(request: StatusRequest) {
    return this.#keeper.status(request);
  }

  async recall(request: RecallRequest) {
    return this.#keeper.recall(request);
  }

  async settle(request: SettleRequest) {
    return this.#keeper.settle(request);
  }

  async lend(request: LendRequest) {
    return this.#keeper.lend(request);
  }
}
