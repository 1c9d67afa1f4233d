import { DEFAULT_CHUNK_TOKENS } from "../chunks/chunk.ts";
import { FORMATS } from "./options/content-options.ts";

/** The table of export formats: what each one is and is for, and which parameters it takes. Plain data. */

/** What an export may be asked for, beside its format. Records and searches have some of it too. */
export const EXPORT_PARAMETERS = {
  status: "Only records with this status.",
  label: "Only pages to which the last classification gave this label.",
  minRelevance: "Only pages at least so relevant to the subject of the crawl, 0 to 1. 0.5 and more is relevant.",
  formats: `Formats in which to include the pages, separated by commas: ${FORMATS.join(", ")}.`,
  rawText:
    "Keep in text, Markdown, chunks and JSON what at least half of the pages of a URL pattern have in common, such as menus. Without it, that is left out once the crawl has ended.",
  clean: "What is the default: it is accepted, and changes nothing.",
  chunkTokens: `Maximum size of a chunk, in estimated tokens. The default is that of the crawl, ${DEFAULT_CHUNK_TOKENS} unless it has another.`,
  cursor: "Cursor of the next page of results: the `cursor` of the previous answer.",
  parts:
    'Send one part, and name the next in the header `Link: <...>; rel="next"`, for exports that are longer than one request may read. The last part has no such header. A cursor means parts too.',
  since: "The cursor in the last line of the previous answer. Without it: all completed pages.",
};
export type ExportParameter = keyof typeof EXPORT_PARAMETERS;

/** What people want an export for, with what its files have in common. */
export const EXPORT_GROUPS = {
  models: {
    title: "For a model or an index",
    about: "What the pages say, as Markdown, without what they have in common, such as menus.",
  },
  tables: { title: "For tables and programs", about: "One row for each URL: what came of it, and what its page says." },
  archive: {
    title: "An archive that others can open",
    about: "What the servers sent, byte by byte, for the tools of web archives.",
  },
  offline: { title: "A copy that opens offline", about: "The site as files, to look at without a network." },
  graph: { title: "The link graph", about: "Which page links to which, for tools that draw and measure graphs." },
  site: {
    title: "For the site itself",
    about: "Addresses of the stored pages, for search engines and other crawlers.",
  },
} as const;
export type ExportGroup = keyof typeof EXPORT_GROUPS;

export interface ExportFormat {
  group: ExportGroup;
  /** Its name for people, and what the file has. */
  label: string;
  about: string;
  /** The endings of its files, the usual one first; empty if it has no file of its own. */
  files: readonly string[];
  /** Whether it has only completed pages, and no assets, unless the request names a status. Others have all URLs. */
  isOfPages?: true;
  /** Whether it is no text: a terminal would show noise. */
  isBinary?: true;
  /** `delta`: lines of `/delta`; `command`: many requests of the command line. Absent: a file of `/export`. */
  from?: "delta" | "command";
  takes: readonly ExportParameter[];
  /** Parameters that it takes only together with `formats`. */
  takesWithFormats?: readonly ExportParameter[];
  /** The crawl must keep packs, or an analysis must have made the graph. */
  needs?: "packs" | "graph";
  /** Why it does not take the rest, if that is not plain. */
  why?: string;
}

/** Formats that list records or pages, and those that have the whole crawl. */
const ROWS = ["status", "label", "minRelevance"] as const;
const WHOLE = { takes: [], why: "it has the whole crawl" } as const;
const GRAPH = { ...WHOLE, group: "graph", needs: "graph" } as const;

export const EXPORT_FORMATS = {
  jsonl: {
    group: "tables",
    label: "JSON Lines",
    about: "All records, one JSON object a line.",
    files: ["jsonl", "ndjson"],
    takes: [...ROWS, "formats", "cursor", "parts"],
    takesWithFormats: ["rawText", "clean", "chunkTokens"],
  },
  csv: {
    group: "tables",
    label: "CSV",
    about: "All records, for a spreadsheet.",
    files: ["csv"],
    takes: [...ROWS, "cursor", "parts"],
  },
  parquet: {
    group: "tables",
    label: "Parquet",
    about: "All records as columns with their types, for DuckDB or pandas.",
    files: ["parquet"],
    isBinary: true,
    takes: ROWS,
  },
  markdown: {
    group: "models",
    label: "Markdown",
    about: "The stored pages in one file, each with its front matter.",
    files: ["md", "markdown"],
    isOfPages: true,
    takes: [...ROWS, "rawText", "clean", "cursor", "parts"],
  },
  chunks: {
    group: "models",
    label: "Chunks",
    about: "The Markdown in parts, cut at headings, one JSON object a line.",
    files: ["chunks.jsonl"],
    isOfPages: true,
    takes: [...ROWS, "rawText", "clean", "chunkTokens", "cursor", "parts"],
  },
  llms: {
    group: "models",
    label: "llms.txt",
    about: "A list of the stored pages in Markdown, with a section for each folder.",
    files: ["llms.txt"],
    isOfPages: true,
    takes: [...ROWS, "cursor", "parts"],
  },
  "llms-full": {
    group: "models",
    label: "llms-full.txt",
    about: "The Markdown of all stored pages in one file, with their sources.",
    files: ["llms-full.txt"],
    isOfPages: true,
    takes: [...ROWS, "rawText", "clean", "cursor", "parts"],
  },
  sitemap: {
    group: "site",
    label: "Sitemap",
    about: "The stored pages as an XML sitemap, without those that name another canonical URL.",
    files: ["xml"],
    isOfPages: true,
    takes: [...ROWS, "cursor", "parts"],
  },
  urls: {
    group: "site",
    label: "List of URLs",
    about: "The URLs of the stored pages, one a line, for other programs.",
    files: ["urls.txt"],
    isOfPages: true,
    takes: [...ROWS, "cursor", "parts"],
  },
  warc: {
    group: "archive",
    ...{ ...WHOLE, takes: ["cursor", "parts"], needs: "packs" },
    label: "WARC",
    about: "Every answer that the crawl kept, with its request, for tools such as pywb.",
    files: ["warc.gz", "warc"],
    isBinary: true,
  },
  wacz: {
    group: "archive",
    ...{ ...WHOLE, needs: "packs" },
    label: "WACZ",
    about: "The same with an index and a list of pages, for ReplayWeb.page.",
    files: ["wacz"],
    isBinary: true,
  },
  graphml: { ...GRAPH, label: "GraphML", about: "The link graph, for Gephi or NetworkX.", files: ["graphml"] },
  "graph-nodes": {
    ...GRAPH,
    label: "Nodes (Parquet)",
    about: "The URLs of the link graph, with their PageRank.",
    files: ["graph-nodes.parquet"],
    isBinary: true,
  },
  "graph-edges": {
    ...GRAPH,
    label: "Edges (Parquet)",
    about: "The links of the link graph, by the ids of its nodes.",
    files: ["graph-edges.parquet"],
    isBinary: true,
  },
  zip: {
    ...WHOLE,
    group: "offline",
    label: "ZIP of the folder",
    about:
      "The pages as files that open offline, with links to each other, and all records: unpack it, and open index.html.",
    files: ["zip"],
    isBinary: true,
  },
  folder: {
    group: "offline",
    ...{ ...WHOLE, from: "command" },
    label: "Folder",
    about: "The same as files in a folder, of any size.",
    files: [],
  },
  delta: {
    group: "models",
    label: "Delta",
    about: "What became of a watch's pages since a cursor, one JSON object a line.",
    files: [],
    from: "delta",
    takes: ["since", "formats", "cursor", "parts"],
    takesWithFormats: ["rawText", "clean", "chunkTokens"],
    why: "it has completed and removed pages",
  },
  "chunk-delta": {
    group: "models",
    label: "Delta of chunks",
    about: "The same for an index of chunks: those that were added, changed or removed.",
    files: [],
    from: "delta",
    takes: ["since", "rawText", "chunkTokens", "cursor", "parts"],
    why: "it has the chunks of completed and removed pages",
  },
} as const satisfies Record<string, ExportFormat>;

export type ExportName = keyof typeof EXPORT_FORMATS;
/** The formats of `GET /api/crawls/:id/export`. */
export type ExportedName = Exclude<ExportName, "folder" | "delta" | "chunk-delta">;

export function exportFormat(name: ExportName): ExportFormat {
  return EXPORT_FORMATS[name];
}

export const PARAMETER_NAMES = Object.keys(EXPORT_PARAMETERS) as ExportParameter[];
export const EXPORT_NAMES = Object.keys(EXPORT_FORMATS) as ExportName[];
/** The formats of a group, in the order of the table. */
export function formatsIn(group: ExportGroup): ExportName[] {
  return EXPORT_NAMES.filter((name) => EXPORT_FORMATS[name].group === group);
}

export const EXPORTED_NAMES = EXPORT_NAMES.filter((name): name is ExportedName => !("from" in EXPORT_FORMATS[name]));

/** A way to ask for exports: which formats it has, and how it writes their names and those of parameters. */
export interface ExportDoor {
  formats: readonly ExportName[];
  format(name: ExportName): string;
  parameter(name: ExportParameter): string;
}

/** The parameters that a format does not take, each with a sentence that names the formats that do. */
export function findRefused(
  name: ExportName,
  given: readonly ExportParameter[],
  door: ExportDoor,
): { parameter: ExportParameter; message: string }[] {
  const { why }: ExportFormat = EXPORT_FORMATS[name];
  const elsewhere = why === undefined ? "" : `, because ${why}`;
  return given
    .filter((parameter) => !takes(name, parameter, given.includes("formats")))
    .map((parameter) => {
      const takers = listTakers(parameter, door).join(", ");
      const because = takes(name, parameter, true) ? ` without ${door.parameter("formats")}` : elsewhere;
      const message = `${door.format(name)} takes no ${door.parameter(parameter)}${because}. It is for ${takers}.`;
      return { parameter, message };
    });
}

/** The formats that take a parameter. */
export function listTakers(parameter: ExportParameter, door: ExportDoor): string[] {
  return door.formats.flatMap((name) => {
    if (takes(name, parameter, false)) return [door.format(name)];
    return takes(name, parameter, true) ? [`${door.format(name)} with ${door.parameter("formats")}`] : [];
  });
}

/** Whether the API sends it in parts if it is asked to. */
export function takesParts(name: string): boolean {
  return Object.hasOwn(EXPORT_FORMATS, name) && takes(name as ExportName, "parts", false);
}

function takes(name: ExportName, parameter: ExportParameter, hasFormats: boolean): boolean {
  const { takes, takesWithFormats = [] }: ExportFormat = EXPORT_FORMATS[name];
  return takes.includes(parameter) || (hasFormats && takesWithFormats.includes(parameter));
}
