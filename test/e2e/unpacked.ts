import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/**
 * Makes the package with `npm pack` and unpacks it below this folder, with nothing but its one dependency beside it, as
 * npm would install it, but without a network. Returns the script of its command.
 */
export function unpackPackage(folder: string): string {
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const archive = join(folder, String(packed).trim().split("\n").at(-1) ?? "");
  const packages = join(folder, "node_modules");
  mkdirSync(packages);
  execFileSync("tar", ["xzf", archive, "-C", packages, "--transform", "s/^package/orbweaver/"]);
  symlinkSync(join(ROOT, "node_modules", "miniflare"), join(packages, "miniflare"));
  return join(packages, "orbweaver", "bin", "orbweaver.js");
}
