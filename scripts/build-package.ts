import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
// The bundler of wrangler, in its version.
import { build } from "esbuild";
import { ROOT } from "../src/cli/installation/package-root.ts";
import { keepMessages } from "../src/cli/machine/kept-message.ts";
import { makeBuild } from "../src/cli/machine/make-build.ts";
import { readBuild } from "../src/cli/machine/stored-build.ts";
import { PACKAGED } from "../src/cli/machine/worker-build.ts";
import { libraryTypes } from "./library-types.ts";

/**
 * `npm pack` runs this: it builds the command line, the library and the Worker into `dist`, so that the package needs
 * neither TypeScript nor wrangler. It needs two packages: miniflare with workerd, and the lock of the state folder.
 */

const CLI = join(ROOT, "dist", "cli");
/** Packages of CommonJS call it. */
const REQUIRE = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';

// Its list of what a deploy would upload is nothing for whoever packs.
process.env.WRANGLER_LOG ??= "error";
// Nor are the certificates that this machine trusts for others.
delete process.env.NODE_EXTRA_CA_CERTS;
for (const folder of [CLI, PACKAGED]) rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: ["start.ts", "machine/workerd-host.ts", "library/library.ts"].map((file) =>
    join(ROOT, "src", "cli", file),
  ),
  outdir: CLI,
  entryNames: "[name]",
  bundle: true,
  splitting: true,
  minify: true,
  keepNames: true,
  format: "esm",
  platform: "node",
  target: "node20.18",
  external: ["fs-native-extensions", "miniflare", "wrangler"],
  banner: { js: REQUIRE },
  logLevel: "warning",
});
writeFileSync(join(CLI, "library.d.ts"), libraryTypes());
await makeBuild(PACKAGED);
await keepMessages(readBuild(PACKAGED));
for (const file of readdirSync(PACKAGED, { recursive: true, encoding: "utf8" }))
  if (file.endsWith(".map")) rmSync(join(PACKAGED, file));
