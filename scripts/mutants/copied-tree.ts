import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

/** A copy of the tree, in which mutants are tested: the sources themselves never change. */

/** What the unit and workerd tests need. Some tests read the documents. */
const LEFT_OUT = new Set(["node_modules", ".git", ".orbweaver", ".wrangler", "dist"]);

export interface TestRun {
  result: "passed" | "failed" | "timed out";
  /** The test files that failed. */
  failed: string[];
}

export class CopiedTree {
  readonly root = mkdtempSync(join(tmpdir(), "orbweaver-mutants-"));
  readonly #node_modules: string;
  #running: ChildProcess | undefined;

  constructor(original: string) {
    for (const name of readdirSync(original))
      if (!LEFT_OUT.has(name)) cpSync(join(original, name), join(this.root, name), { recursive: true });
    // A folder of links, so that vitest's cache is the copy's own.
    this.#node_modules = join(original, "node_modules");
    mkdirSync(join(this.root, "node_modules"));
    for (const name of readdirSync(this.#node_modules))
      if (!name.startsWith(".vite")) symlinkSync(join(this.#node_modules, name), join(this.root, "node_modules", name));
  }

  /** Runs `test` while a file has other contents. */
  async withFile<T>(file: string, contents: string, test: () => Promise<T>): Promise<T> {
    const path = join(this.root, file);
    const before = readFileSync(path);
    writeFileSync(path, contents);
    try {
      return await test();
    } finally {
      writeFileSync(path, before);
    }
  }

  /** Whether the compiler takes it. */
  async compiles(): Promise<boolean> {
    return (await this.#run(["tsc", "--noEmit", "-p", "tsconfig.json"], 300_000)) === 0;
  }

  /** Runs test files until the first one fails. One that takes longer than `mostMs` is stopped. */
  async runTests(files: readonly string[], mostMs: number): Promise<TestRun> {
    if (files.length === 0) return { result: "passed", failed: [] };
    const report = join(this.root, "report.json");
    rmSync(report, { force: true });
    // The cache knows a module by its contents, so only the mutant's is transformed again.
    const flags = [
      "--bail",
      "1",
      "--fsModuleCache",
      `--maxWorkers=${availableParallelism()}`,
      "--reporter",
      "json",
      "--outputFile",
      report,
    ];
    const code = await this.#run(
      ["vitest", "run", "--project", "unit", "--project", "workerd", ...flags, ...files],
      mostMs,
    );
    if (code === null) return { result: "timed out", failed: [] };
    return code === 0 ? { result: "passed", failed: [] } : { result: "failed", failed: this.#failedOf(report) };
  }

  /** Stops what runs, and removes the copy. */
  remove(): void {
    this.#stop();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  #failedOf(report: string): string[] {
    try {
      const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
        testResults: { name: string; status: string }[];
      };
      const failed = testResults.filter(({ status }) => status === "failed");
      return failed.map(({ name }) => name.slice(name.indexOf("/test/") + 1));
    } catch {
      // A mutant that ends the process leaves no report.
      return [];
    }
  }

  /** Returns the exit code; null if the time was over. */
  #run([command = "", ...args]: string[], mostMs: number): Promise<number | null> {
    return new Promise((resolve) => {
      // A group of its own, so that workerd ends with it.
      const child = spawn(join(this.#node_modules, ".bin", command), args, {
        cwd: this.root,
        detached: true,
        stdio: "ignore",
      });
      this.#running = child;
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        this.#stop();
      }, mostMs);
      child.once("close", (code) => {
        clearTimeout(timer);
        this.#running = undefined;
        resolve(isOver ? null : (code ?? 1));
      });
    });
  }

  #stop(): void {
    if (this.#running?.pid !== undefined) process.kill(-this.#running.pid, "SIGKILL");
  }
}
