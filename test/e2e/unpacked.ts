import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { waitForLockSync } from "fs-native-extensions";

const ROOT = join(import.meta.dirname, "..", "..");

/**
 * Makes the package with `npm pack` and unpacks it below this folder, with nothing but its dependencies beside it, as
 * npm would install it, but without a network. Returns the script of its command. `root`: the clone that is packed; its
 * dependencies are moved if the clone is another one, which may be gone soon. Packages are made one after another: each
 * builds in the folder `dist` of its clone anew, and would pack what another one has half built.
 */
export function unpackPackage(folder: string, root = ROOT): string {
  const archive = pack(folder, root);
  const packages = join(folder, "node_modules");
  mkdirSync(packages);
  execFileSync("tar", ["xzf", archive, "-C", packages, "--transform", "s/^package/orbweaver/"]);
  const needed = join(root, "node_modules");
  // npm lays what they need beside them.
  if (root === ROOT)
    for (const name of ["fs-native-extensions", "miniflare"]) symlinkSync(join(needed, name), join(packages, name));
  else
    for (const name of readdirSync(needed)) if (name !== ".bin") renameSync(join(needed, name), join(packages, name));
  return join(packages, "orbweaver", "bin", "orbweaver.js");
}

/** Returns the path of the archive. */
function pack(folder: string, root: string): string {
  const lock = openSync(join(root, "node_modules", ".pack-lock"), "a");
  try {
    waitForLockSync(lock);
    const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
      cwd: root,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return join(folder, String(packed).trim().split("\n").at(-1) ?? "");
  } finally {
    closeSync(lock);
  }
}
