import { DurableObject } from "cloudflare:workers";
import { clockOf, systemClock } from "../core/clock.ts";
import { resolveHost, resolveHostText } from "../fetch/transport/host-addresses.ts";
import { InstallationKey } from "../store/installation/installation-key.ts";
import { readOwnHosts } from "../url/own-host.ts";
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
import type { HostState } from "./host-state.ts";
import { installationKeys } from "./installation-keys.ts";
import { fetchProof } from "./ownership-proof.ts";
import { fetchRobots } from "./robots-file.ts";
import { exchangesKey, neededAt, type RobotsFile } from "./robots-state.ts";

/** The host gate: a Durable Object per host name. It is a thin shell around a gatekeeper. */

/**
 * An idle gate leaves workerd's memory after this time; its state is in its storage. SQLite takes 0.4 MB for each gate,
 * and workerd alone waits for 70 s, so a crawl of a thousand hosts would take 400 MB. On Cloudflare the platform evicts
 * idle objects (https://developers.cloudflare.com/durable-objects/concepts/durable-object-lifecycle/), and a timer
 * would keep them in memory.
 */
const GATE_IDLE_MS = 500;

/** Real time for which `admit` waits for a robots.txt. Most answer sooner, and other hosts of the batch wait too. */
const ROBOTS_PATIENCE_MS = 500;

/**
 * What nobody has needed for this long is removed: the robots.txt of an origin, or all of a host's state. An alarm
 * looks every thirty days, which costs a host one row written and one request each time; a host that is not needed any
 * more costs them once. On a laptop there is no alarm, for a thousand gates would wake at once.
 */
const FORGET_AFTER_MS = 30 * 86_400_000;

export class HostGate extends DurableObject<Env> implements Gate {
  readonly #keeper: Gatekeeper;
  readonly #isLocal: boolean;
  readonly #now: () => number;
  /** Whether an alarm is set. */
  #hasAlarm: boolean;
  #calls = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const { kv } = ctx.storage;
    this.#isLocal = env.BOOT !== undefined;
    // Version 0.1.0 stored no `asOf`, and set no alarm.
    this.#hasAlarm = this.#isLocal || (kv.get<Partial<HostState>>("host")?.asOf ?? 0) > 0;
    const clock = clockOf(env);
    this.#now = clock.now;
    this.#keeper = new Gatekeeper({
      storage: { get: (key) => kv.get(key), put: (key, value) => this.#put(key, value) },
      clock,
      fetchRobots: (origin, request, before) => fetchRobots(origin, request, before, env),
      gate: (host) => env.HOST_GATE.get(env.HOST_GATE.idFromName(host)),
      resolve: (hostname) => resolveHost(hostname, env),
      ownHosts: readOwnHosts(env.OWN_HOSTS),
      installationKeys: () => installationKeys(env, new InstallationKey(env.LEDGER)),
      resolveText: (name) => resolveHostText(name, env),
      fetchProof: (origin, request, hold, keys) => fetchProof(origin, request, hold, keys, env),
      boot: env.BOOT ?? "",
      patience: () => systemClock.sleep(ROBOTS_PATIENCE_MS),
      // https://developers.cloudflare.com/changelog/post/2026-10-01-pending-io-keep-alive/
      keepAlive: (work) => this.ctx.waitUntil(work),
    });
  }

  #put(key: string, value: unknown): void {
    this.ctx.storage.kv.put(key, value);
    if (this.#hasAlarm) return;
    this.#hasAlarm = true;
    this.#setAlarm();
  }

  /** An alarm counts real time. */
  #setAlarm(): void {
    this.ctx.waitUntil(this.ctx.storage.setAlarm(systemClock.now() + FORGET_AFTER_MS));
  }

  /** Removes what nobody has needed for long. */
  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    const isOld = (time: number) => this.#now() - time >= FORGET_AFTER_MS;
    if (isOld(kv.get<Partial<HostState>>("host")?.asOf ?? 0)) {
      this.#hasAlarm = false;
      await this.ctx.storage.deleteAll();
      return;
    }
    for (const [key, file] of kv.list<RobotsFile>({ prefix: "robots:" })) {
      if (!isOld(neededAt(file))) continue;
      kv.delete(key);
      kv.delete(exchangesKey(key.slice("robots:".length)));
    }
    this.#setAlarm();
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
      if (this.#isLocal && this.#calls === 0) this.#leaveLater();
    }
  }

  /**
   * Stays while a lane holds the host or a robots.txt is being read: leaving breaks the stub of its consumer, and the
   * reading. A later call has a new stub.
   */
  #leave(): void {
    if (this.#keeper.isAtRest) this.ctx.abort("this gate is idle");
    else this.#leaveLater();
  }

  #leaveLater(): void {
    this.#idleTimer = setTimeout(() => this.#leave(), GATE_IDLE_MS);
  }
}
