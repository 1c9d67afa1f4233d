import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import type { z } from "zod";
import { UserError } from "../src/cli/errors.ts";
import { adviceOn } from "./wrangler-advice.ts";

/** Runs wrangler as a program: its commands are its stable interface, and ask no questions without a terminal. */

export interface Answer {
  status: number;
  stdout: string;
  stderr: string;
}

type Environment = Record<string, string | undefined>;

/** Runs one command to its end, also if it fails. `input` is its entire standard input. */
export type Run = (args: string[], env: Environment, input: string) => Promise<Answer>;

/** The working directory of every command, so that wrangler finds the configuration. */
export const ROOT = join(import.meta.dirname, "..");

/** Makes a Run of a program and its first arguments. */
export function runProgram(program: string, ...first: string[]): Run {
  return async (args, env, input) => {
    const child = spawn(program, [...first, ...args], { cwd: ROOT, env });
    // A command that ends before it reads its input reports the reason by its exit code.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close") as Promise<[number | null]>,
    ]);
    return { status: status ?? 1, stdout, stderr };
  };
}

export class Wrangler {
  readonly #run: Run;
  /** Arguments of every command. */
  readonly #common: string[];
  readonly env: Environment;

  constructor(run: Run, common: string[], env: Environment) {
    this.#run = run;
    this.#common = common;
    this.env = env;
  }

  /** The wrangler in node_modules. Throws UserError if it is not installed. */
  static installed(common: string[]): Wrangler {
    const bin = join(ROOT, "node_modules", "wrangler", "bin", "wrangler.js");
    if (!existsSync(bin)) throw new UserError("wrangler is not installed here. Run `npm install` first.");
    const quiet = { WRANGLER_HIDE_BANNER: "true", WRANGLER_SEND_METRICS: "false" };
    return new Wrangler(runProgram(process.execPath, bin), common, { ...quiet, ...process.env });
  }

  /** Uses another configuration. */
  withConfig(file: string): Wrangler {
    return new Wrangler(this.#run, ["--config", file], this.env);
  }

  with(env: Environment): Wrangler {
    return new Wrangler(this.#run, this.#common, { ...this.env, ...env });
  }

  async run(args: string[], input = ""): Promise<Answer> {
    const { status, stdout, stderr } = await this.#run([...args, ...this.#common], this.env, input);
    return { status, stdout: stripVTControlCharacters(stdout), stderr: stripVTControlCharacters(stderr) };
  }

  /** Like `run`, but throws UserError, which begins with the sentence `otherwise`, if the command fails. */
  async ok(args: string[], otherwise: string, input?: string): Promise<Answer> {
    const answer = await this.run(args, input);
    if (answer.status !== 0) throw this.failure(otherwise, args, answer);
    return answer;
  }

  /** The error with the sentence, the command, wrangler's output and advice. */
  failure(sentence: string, args: string[], answer: Answer): UserError {
    const words = (answer.stderr.trim() === "" ? answer.stdout : answer.stderr)
      // Remove the hints about wrangler's log and bug reports.
      .replace(/^\s*(🪵|If you think this is a bug).*$/gmu, "")
      .replace(/\n\s*\n\s*\n/g, "\n\n")
      .trim();
    return new UserError(
      [
        `${sentence} wrangler says:`,
        "",
        `  $ ${this.spell(args)}`,
        ...words.split("\n").map((line) => `  ${line}`.trimEnd()),
        "",
        adviceOn(words),
      ].join("\n"),
    );
  }

  /** The command as a person would type it. */
  spell(args: string[]): string {
    return ["npx", "wrangler", ...args, ...this.#common].join(" ");
  }
}

/** Parses printed JSON; null if it is not JSON or does not fit the schema. */
export function readJson<T>(printed: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.safeParse(JSON.parse(printed)).data ?? null;
  } catch {
    return null;
  }
}
