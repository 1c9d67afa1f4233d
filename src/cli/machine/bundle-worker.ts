import { builtinModules } from "node:module";
import { join, relative } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { ROOT } from "../installation/package-root.ts";

/**
 * Bundles the Workers for this machine by esbuild, the bundler of wrangler, in its version and with its settings. A
 * deploy has one file for each Worker. Here what is imported by `import()` is a file of its own, which workerd compiles
 * when it is first imported (NEW_REGISTRY): most commands read no page.
 */

/**
 * workerd compiles a module when it is first imported, and not all at its start.
 * https://developers.cloudflare.com/workers/configuration/compatibility-flags/#new-module-registry
 */
export const NEW_REGISTRY = "new_module_registry";

/** The Workers' files, relative to the folder. The entry comes first. */
export interface BundledWorkers {
  main: string[];
  reader: string[];
  fetcher: string[];
}

/**
 * Writes the files and their source maps into `folder`. Each start hands the files to workerd, so they are minified.
 * Throws if a source cannot be bundled.
 */
export async function bundleWorkers(folder: string): Promise<BundledWorkers> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: {
      index: join("src", "index.ts"),
      reader: join("src", "reader.ts"),
      fetcher: join("src", "fetcher.ts"),
    },
    outdir: folder,
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    // Not minifySyntax: it takes longer than all the rest, and saves a fortieth.
    minifyWhitespace: true,
    minifyIdentifiers: true,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    format: "esm",
    target: "es2024",
    supported: { using: true, "import-source": true },
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    define: { "process.env.NODE_ENV": '"production"', "navigator.userAgent": '"Cloudflare-Workers"' },
    external: ["cloudflare:*"],
    plugins: [NODE_MODULES],
    logLevel: "warning",
  });
  return {
    main: filesOf("index.js", metafile, folder),
    reader: filesOf("reader.js", metafile, folder),
    fetcher: filesOf("fetcher.js", metafile, folder),
  };
}

/** nodejs_compat brings them. A package of CommonJS that requires one gets its default export, as in Node. */
const NODE_MODULES: Plugin = {
  name: "node-modules",
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(node:.*|${builtinModules.filter((name) => !name.startsWith("_")).join("|")})$`);
    onResolve({ filter }, ({ path, kind, importer }) => {
      const name = path.startsWith("node:") ? path : `node:${path}`;
      if (kind === "require-call") return { path: name, namespace: "required" };
      return importer === "" ? null : { path: name, external: true };
    });
    onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `import all from ${JSON.stringify(path)}; module.exports = all;`,
      loader: "js",
    }));
  },
};

/** The file and all that it may import, at once or later. */
function filesOf(entry: string, { outputs }: Metafile, folder: string): string[] {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [relative(folder, join(ROOT, path)), output]));
  const files = new Set([entry]);
  for (const file of files)
    for (const { path, external } of byName.get(file)?.imports ?? [])
      if (!external) files.add(relative(folder, join(ROOT, path)));
  return [...files];
}
