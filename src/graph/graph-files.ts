import { writeParquet } from "../core/formats/parquet-file.ts";

/** The link graph as files for other tools: GraphML for Gephi and NetworkX, Parquet for DuckDB and pandas. */

export interface GraphNode {
  /** The number by which edges name it. */
  id: number;
  url: string;
  /** A status of a record, such as `completed`. */
  status: string;
  title: string | null;
  pageRank: number;
  /** The number of URLs that link or redirect to it. */
  inLinks: number;
}

export interface GraphEdge {
  source: number;
  target: number;
}

export interface Graph {
  /** Each can be read once for each file. */
  nodes(): AsyncIterable<GraphNode> | Iterable<GraphNode>;
  edges(): AsyncIterable<GraphEdge> | Iterable<GraphEdge>;
}

interface GraphFile {
  contentType: string;
  write(graph: Graph): AsyncGenerator<Uint8Array, void>;
}

const PARQUET = { contentType: "application/vnd.apache.parquet" } as const;
/** Attributes of nodes by the types of GraphML. */
const ATTRIBUTES = {
  url: "string",
  status: "string",
  title: "string",
  pageRank: "double",
  inLinks: "int",
} as const satisfies Partial<Record<keyof GraphNode, string>>;
type Attribute = keyof typeof ATTRIBUTES;
/** Characters that XML 1.0 cannot have: https://www.w3.org/TR/xml/#charsets */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" };
/** Parts are joined to chunks of this length or more. */
const CHUNK_CHARACTERS = 65_536;

/** A group of 10,000 nodes with URLs and titles of 100 bytes takes some 3 MB, and one of 100,000 edges some 5. */
export const GRAPH_FILES = {
  graphml: { contentType: "application/xml", write: (graph) => encode(writeGraphml(graph)) },
  "graph-nodes": { ...PARQUET, write: (graph) => writeParquet({ id: "int", ...ATTRIBUTES }, eachNode(graph), 10_000) },
  "graph-edges": {
    ...PARQUET,
    write: (graph) => writeParquet({ source: "int", target: "int" }, eachEdge(graph), 100_000),
  },
} as const satisfies Record<string, GraphFile>;

async function* eachNode(graph: Graph) {
  for await (const { id, url, status, title, pageRank, inLinks } of graph.nodes())
    yield { id, url, status, title, pageRank, inLinks };
}

async function* eachEdge(graph: Graph) {
  for await (const { source, target } of graph.edges()) yield { source, target };
}

/** http://graphml.graphdrawing.org/primer/graphml-primer.html */
async function* writeGraphml(graph: Graph): AsyncGenerator<string, void> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n';
  for (const [name, type] of Object.entries(ATTRIBUTES))
    yield `<key id="${name}" for="node" attr.name="${name}" attr.type="${type}"/>\n`;
  yield '<graph id="links" edgedefault="directed">\n';
  for await (const node of graph.nodes()) {
    yield `<node id="n${node.id}">`;
    for (const name of Object.keys(ATTRIBUTES) as Attribute[]) {
      const value = node[name];
      if (value !== null) yield `<data key="${name}">${escapeXmlText(String(value))}</data>`;
    }
    yield "</node>\n";
  }
  for await (const { source, target } of graph.edges()) yield `<edge source="n${source}" target="n${target}"/>\n`;
  yield "</graph>\n</graphml>\n";
}

function escapeXmlText(text: string): string {
  const valid = text.toWellFormed().replace(NOT_XML, "\ufffd");
  return valid.replace(/[&<>\r]/g, (char) => ENTITIES[char] ?? char);
}

async function* encode(parts: AsyncGenerator<string, void>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  let text = "";
  for await (const part of parts) {
    text += part;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
}
