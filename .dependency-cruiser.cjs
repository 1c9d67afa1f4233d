// Imports run one way: core <- url <- scope, robots, archive, search, media <- changes, chunks, extract, revisit,
// graph, twins, sections, topic <- crawl <- store, host, fetch <- frontier <- notices <- passes <- lifecycle <-
// reading <- api <- console <- index. (docs/architecture.md). Each layer lists what it may not import: everything to
// its right.
const { Compiler } = require("@swc/core");

// The parser is asked for TypeScript, whatever the file is called, and takes no JSX then.
const { parseFileSync } = Compiler.prototype;
Compiler.prototype.parseFileSync = function (file, options) {
  return parseFileSync.call(this, file, { ...options, tsx: file.endsWith(".tsx") });
};

const layers = [
  ["core"],
  ["url"],
  ["scope", "robots", "archive", "search", "media"],
  ["changes", "chunks", "extract", "revisit", "graph", "twins", "sections", "topic"],
  ["crawl"],
  ["store", "host", "fetch"],
  ["frontier"],
  ["notices"],
  ["passes"],
  ["lifecycle"],
  ["reading"],
  ["api"],
  ["console"],
];
const pure =
  "^src/(core|url|scope|robots|archive|search|media|changes|chunks|extract|revisit|graph|twins|sections|topic|crawl)/";

module.exports = {
  forbidden: [
    { name: "no-circle", severity: "error", from: {}, to: { circular: true } },
    ...layers.slice(0, -1).map((layer, i) => ({
      name: `${layer.join("-")}-imports-upwards`,
      severity: "error",
      from: { path: `^src/(${layer.join("|")})/` },
      to: {
        path: `^src/(index\\.ts|cli/|(${layers
          .slice(i + 1)
          .flat()
          .join("|")})/)`,
      },
    })),
    {
      name: "siblings-apart",
      severity: "error",
      from: { path: "^src/(scope|robots|archive|search|media)/" },
      to: { path: "^src/(scope|robots|archive|search|media)/", pathNot: "^src/$1/" },
    },
    { name: "pure-is-pure", severity: "error", from: { path: pure }, to: { path: "^(cloudflare:|hono)" } },
    // The parser can't tell `import type` apart, so the one module of types that the command line reads is named. A
    // page's file of Markdown is the same in an export and in a folder, and an interval, a search form, a size or a
    // duration is the same in the console and in a command, so each has one pure module. So have the tables of options
    // and of export formats, which are plain data. A WARC file is split into records, and its URLs are made canonical,
    // by the command that imports it as by the API.
    {
      name: "cli-imports-types-alone",
      severity: "error",
      from: { path: "^src/cli/" },
      to: {
        path: "^src/(?!cli/|api/views\\.ts$|core/(document-hung|form-fill|local-heartbeat|formats/(front-matter|json-pointer)|interval|shown-values)\\.ts$|archive/(split-records|foreign-response)\\.ts$|fetch/request/cookie-file\\.ts$|url/(canonicalize|public-address|user-info|with-scheme|address-block)\\.ts$|crawl/(options/|lists/|page/status\\.ts$|crawl-id\\.ts$|ledger-name\\.ts$|export-table\\.ts$|imported-archive\\.ts$))",
      },
    },
    // The readers of heavy documents outweigh the main Worker, and nothing that they read may reach a binding.
    {
      name: "heavy-readers-for-the-reader-alone",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(reader\\.ts$|media/(heavy-readers\\.ts$|pdf/|office/|epub/))" },
      to: { path: "^src/media/(heavy-readers\\.ts$|pdf/|office/|epub/)" },
    },
    {
      name: "nothing-imports-the-reader",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^src/reader\\.ts$" },
    },
    {
      name: "reader-without-bindings",
      severity: "error",
      from: { path: "^src/(reader\\.ts$|media/)" },
      to: { path: "^(cloudflare:|src/(store|host|frontier|notices|passes|lifecycle|reading|api|console)/)" },
    },
    { name: "nothing-imports-the-cli", severity: "error", from: { path: "^src/(?!cli/)" }, to: { path: "^src/cli/" } },
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { extensions: [".ts", ".tsx"] },
  },
};
