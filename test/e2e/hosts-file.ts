import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ended, MAIN } from "./cli.ts";
import { hasTool } from "./required-tools.ts";

/** Commands with a hosts file of their own, which gives names to addresses of loopback. Needs mounts. */

/** `what`: what is not tested without mounts. */
export function canMount(what: string): boolean {
  const mounted = spawnSync("unshare", ["-rm", "sh", "-c", "mount --bind /dev/null /etc/hosts"]).status === 0;
  return hasTool("mounts", mounted, what);
}

/** Writes the hosts file into `folder`, and returns what runs a command of orbweaver with it. */
export function withHosts(folder: string, names: string) {
  const hosts = join(folder, "hosts");
  writeFileSync(hosts, names);
  return async (variables: Record<string, string>, args: readonly string[]): Promise<Ended> => {
    const mount = `mount --bind "${hosts}" /etc/hosts && exec "$@"`;
    const command = [process.execPath, MAIN, ...args];
    const child = spawn("unshare", ["-rm", "sh", "-c", mount, "sh", ...command], {
      env: { ...process.env, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const printed = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].on("data", (data: Buffer) => {
        printed[stream] += data.toString();
      });
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, ...printed };
  };
}
