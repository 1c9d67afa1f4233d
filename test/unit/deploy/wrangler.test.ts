import { describe, expect, it } from "vitest";
import { runProgram, Wrangler } from "../../../scripts/wrangler.ts";
import { adviceOn } from "../../../scripts/wrangler-advice.ts";

function script(code: string): Wrangler {
  const run = runProgram(process.execPath, "-e", code, "--");
  return new Wrangler(run, ["--config", "other.toml"], { PATH: process.env.PATH });
}

describe("running wrangler", () => {
  it("gives every command the common arguments, after its own", async () => {
    const { stdout } = await script("console.log(process.argv.slice(1).join(' '))").run(["queues", "list"]);
    expect(stdout).toBe("queues list --config other.toml\n");
    expect(script("").spell(["queues", "list"])).toBe("npx wrangler queues list --config other.toml");
  });

  it("gives it no terminal, and no input by default", async () => {
    const code = "process.stdin.on('data', () => {}).on('end', () => console.log(process.stdin.isTTY, 'ended'))";
    expect((await script(code).run([])).stdout).toBe("undefined ended\n");
  });

  it("accepts a command that ends without reading its input", async () => {
    expect((await script("process.exit(3)").run([], "x".repeat(1_000_000))).status).toBe(3);
  });

  it("counts a command that was killed as failed", async () => {
    expect((await script("process.kill(process.pid, 'SIGKILL')").run([])).status).toBe(1);
  });

  it("shows the output of a failed command, whether on stdout or stderr", async () => {
    const failing = (stream: string) =>
      script(`process.${stream}.write('\\u001b[31mno\\u001b[0m'); process.exitCode = 1`).ok(["deploy"], "It failed.");
    await expect(failing("stderr")).rejects.toThrow(
      "It failed. wrangler says:\n\n  $ npx wrangler deploy --config other.toml\n  no\n",
    );
    await expect(failing("stdout")).rejects.toThrow("  no\n");
  });
});

describe("advice", () => {
  it.each([
    ["Please enable R2 Subscription for your account. [code: 10042]", "R2 is not enabled"],
    ["R2 binding error: Please enable R2 through the Cloudflare Dashboard. [code: 10136]", "R2 is not enabled"],
    ["You need a workers.dev subdomain in order to proceed. [code: 10063]", "workers.dev subdomain"],
    ["Authentication error [code: 10000]", "lacks a permission"],
    ["it's necessary to set a CLOUDFLARE_API_TOKEN environment variable", "npx wrangler login"],
    ["Unable to resolve Cloudflare's API hostname", "cannot be reached"],
    ["You have reached the maximum number of D1 databases for your account.", "Delete a database"],
    ["Could not resolve service binding 'PAGE_FETCHER'. [code: 10143]", "Remove the [[services]] section"],
    ["Something else.", "When that is mended"],
  ])("on %s", (words, advice) => {
    expect(adviceOn(words)).toContain(advice);
    expect(adviceOn(words)).toContain("`npm run deploy` again");
  });
});
