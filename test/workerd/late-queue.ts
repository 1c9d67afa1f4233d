import type { FrontierMessage } from "../../src/frontier/batch/message.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;

/** A queue with a backlog: every message arrives `lateMs` after it is sent, but for those that it loses. */
export class LateQueue {
  sent = 0;
  /** Whether a URL is lost from its message. */
  loses: (url: string) => boolean = () => false;
  #waiting: { at: number; message: MessageSendRequest<FrontierMessage> }[] = [];
  readonly #world: World;
  readonly #arrive: Queue<FrontierMessage>;

  constructor(world: World, lateMs: number) {
    this.#world = world;
    this.#arrive = world.deps.frontier;
    world.deps.frontier = {
      sendBatch: async (messages: Iterable<MessageSendRequest<FrontierMessage>>) => {
        for (const message of messages) {
          this.sent += 1;
          const urls = message.body.urls.filter((url) => !this.loses(url));
          if (urls.length === 0) continue;
          const kept = { ...message, body: { ...message.body, urls } };
          this.#waiting.push({ at: world.now + lateMs + (message.delaySeconds ?? 0) * 1_000, message: kept });
        }
      },
    } as unknown as Queue<FrontierMessage>;
  }

  /** A minute passes, messages arrive and are processed, and the heartbeat runs. Returns its report. */
  async minute(): ReturnType<typeof heartbeat> {
    const until = this.#world.now + MINUTE;
    for (;;) {
      const at = Math.max(this.#world.now, Math.min(...this.#waiting.map((waiting) => waiting.at)));
      if (at > until) break;
      this.#world.now = at;
      const arrived = this.#waiting.filter((waiting) => waiting.at <= at);
      this.#waiting = this.#waiting.filter((waiting) => waiting.at > at);
      for (const { message } of arrived) await this.#arrive.sendBatch([{ body: message.body }]);
      while (this.#world.inMotion > 0) await this.#world.turn();
    }
    this.#world.now = Math.max(this.#world.now, until);
    return heartbeat(this.#world.deps);
  }
}
