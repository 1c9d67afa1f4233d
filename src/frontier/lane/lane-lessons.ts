import type { LearnedByHost } from "../../store/learned/learned.ts";
import type { LearnedMemory } from "../../store/learned/learned-memory.ts";
import { hostOf } from "../../url/host-key.ts";
import { crawlAndHost, type PageWork } from "../work.ts";

/** What the pages of a lane have taught about a host. */
interface Taught<Lesson> {
  crawl: string;
  host: string;
  lessons: Lesson[];
}

/**
 * What crawls have learned of the hosts of a lane. It is read when the lane opens, and what its pages teach is stored
 * before they are committed: learned again from what is stored then, because other batches learn at the same time.
 */
export class LaneLessons<Learned, Lesson> {
  readonly #store: LearnedByHost<Learned>;
  readonly #memory: LearnedMemory;
  readonly #learn: (known: Learned, lessons: readonly Lesson[]) => Learned;
  /** By crawl and host, as all keys here. */
  readonly #known = new Map<string, Learned>();
  readonly #taught = new Map<string, Taught<Lesson>>();

  constructor(
    store: LearnedByHost<Learned>,
    memory: LearnedMemory,
    learn: (known: Learned, lessons: readonly Lesson[]) => Learned,
  ) {
    this.#store = store;
    this.#memory = memory;
    this.#learn = learn;
  }

  /** Reads what is known of these hosts of the crawl. */
  async read(crawl: string, hosts: readonly string[]): Promise<void> {
    const read = await this.#store.read(crawl, hosts, this.#memory);
    for (const [host, known] of read) this.#known.set(`${crawl} ${host}`, known);
  }

  forget(crawl: string, hosts: readonly string[]): void {
    for (const host of hosts) this.#known.delete(`${crawl} ${host}`);
  }

  /** What is known of the host of a page. */
  of({ row }: PageWork): Learned {
    return this.#known.get(crawlAndHost(row)) ?? this.#store.empty;
  }

  /** Learns for this lane, too. Returns what was known before, and what is known now. */
  teach(work: PageWork, lesson: Lesson): [before: Learned, after: Learned] {
    const before = this.of(work);
    const after = this.#learn(before, [lesson]);
    this.note(work, lesson);
    this.#known.set(crawlAndHost(work.row), after);
    return [before, after];
  }

  /** Notes what is to be learned when the lane closes. */
  note({ row }: PageWork, lesson: Lesson): void {
    const key = crawlAndHost(row);
    const taught = this.#taught.get(key) ?? { crawl: row.crawl, host: hostOf(row.url), lessons: [] };
    taught.lessons.push(lesson);
    this.#taught.set(key, taught);
  }

  /** `failed`: throws the error if pages may be lost without the lessons. `changed`: is told what they have changed. */
  async store(
    failed: (error: unknown, key: string, known: Learned, lessons: readonly Lesson[]) => void,
    changed: (before: Learned, after: Learned, taught: Taught<Lesson>) => void = () => undefined,
  ): Promise<void> {
    for (const [key, taught] of this.#taught) {
      const { crawl, host, lessons } = taught;
      let change: [Learned, Learned] | null = null;
      const learn = (stored: Learned): Learned => {
        const learned = this.#learn(stored, lessons);
        change = [stored, learned];
        return learned;
      };
      await this.#store
        .learn(crawl, host, learn, this.#memory)
        .catch((error: unknown) => failed(error, key, this.#known.get(key) ?? this.#store.empty, lessons));
      if (change !== null) changed(...(change as [Learned, Learned]), taught);
    }
  }
}
