import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Ended, type Running, startScript } from "../e2e/cli.ts";
import type { Site } from "../sites/site.ts";

/** One user's way: commands in a clean folder, each of them timed and judged by what came of it. */

export interface Step {
  /** The command as a user types it, with SITE for the address of a site. */
  name: string;
  seconds: number;
  /** Why it failed, or null. */
  problem: string | null;
}

/** Sites stand on loopback; for a crawl to other hosts than its seeds' they stand for hosts of the web. */
const ENV = { ALLOW_PRIVATE: "true" };
const LOOPBACK = /http:\/\/127\.[\d.]+:\d+/g;
const MAX_MESSAGE = 300;
const MAX_OUTPUT = 2_000;

export class Journey {
  readonly steps: Step[] = [];
  /** Closed at the end. */
  readonly sites: Site[] = [];
  readonly #running = new Set<Running>();

  /** What the command runs. */
  readonly script: string;
  /** The folder. */
  readonly home: string;
  readonly #variables: Record<string, string>;

  constructor(script: string, home: string, variables: Record<string, string>) {
    this.script = script;
    this.home = home;
    this.#variables = variables;
    mkdirSync(home, { recursive: true });
  }

  /** The environment of a user: nothing of npm's, and nothing of the tests'. */
  get env(): Record<string, string> {
    const { PATH = "", TMPDIR = "/tmp" } = process.env;
    return { PATH, TMPDIR, HOME: this.home, ...ENV, ...this.#variables };
  }

  /** Starts `orbweaver` with these words, without waiting for its end. */
  start(words: string): Running {
    const running = startScript(this.script, splitWords(words), { cwd: this.home, env: this.env });
    this.#running.add(running);
    void running.ended.then(() => this.#running.delete(running));
    return running;
  }

  /** Runs `orbweaver` with these words to its end, and judges what it printed. `check` throws what is wrong. */
  async run(
    words: string,
    check: (ended: Ended) => void | Promise<void>,
    { code = 0 }: { code?: number } = {},
  ): Promise<Ended> {
    let ended: Ended = { code: null, stdout: "", stderr: "" };
    await this.step(`orbweaver ${words}`, async () => {
      ended = await this.start(words).ended;
      try {
        if (ended.code !== code) throw new Error(`the exit code is ${ended.code}, not ${code}`);
        await check(ended);
      } catch (error) {
        throw new Error(
          `${messageOf(error).slice(0, MAX_MESSAGE)}\n${`${ended.stdout}${ended.stderr}`.slice(-MAX_OUTPUT)}`,
        );
      }
    });
    return ended;
  }

  /** Does something and notes its time. Throws what `act` throws: what follows needs it. */
  async step<T>(name: string, act: () => Promise<T>): Promise<T> {
    const step: Step = { name: name.replaceAll(LOOPBACK, "SITE"), seconds: 0, problem: null };
    this.steps.push(step);
    const startedAt = performance.now();
    try {
      return await act();
    } catch (error) {
      step.problem = messageOf(error);
      throw error;
    } finally {
      step.seconds = (performance.now() - startedAt) / 1_000;
      console.log(`${step.seconds.toFixed(1).padStart(7)} s  ${step.problem === null ? "" : "FAILED "}${step.name}`);
    }
  }

  /** A file of the folder as text. */
  read(...path: string[]): string {
    return readFileSync(join(this.home, ...path), "utf8");
  }

  /** Ends what still runs, as Ctrl-C does. */
  async close(): Promise<void> {
    const running = [...this.#running];
    for (const { child } of running) child.kill("SIGINT");
    await Promise.all(running.map(({ ended }) => ended));
    await Promise.all(this.sites.map((site) => site.close()));
  }
}

/** As a shell does with double quotes. */
function splitWords(words: string): string[] {
  return Array.from(words.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? "");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
