import fc from "fast-check";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { writeParquet } from "../../../src/core/formats/parquet-file.ts";
import { GRAPH_FILES, type GraphNode } from "../../../src/graph/graph-files.ts";

const NODES: GraphNode[] = [
  { id: 0, url: "https://a.test/?a=1&b", status: "completed", title: "<A> & Ö", pageRank: 0.75, inLinks: 1 },
  { id: 1, url: "https://a.test/b", status: "errored", title: null, pageRank: 0.25, inLinks: 0 },
];
const EDGES = [{ source: 1, target: 0 }];
const GRAPH = { nodes: () => NODES, edges: () => EDGES };

async function join(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const part of parts) chunks.push(part);
  return new Uint8Array(Buffer.concat(chunks));
}

async function readParquet(parts: AsyncIterable<Uint8Array>) {
  const { buffer } = await join(parts);
  return parquetReadObjects({ file: buffer });
}

test("another reader finds all nodes and edges in the Parquet files", async () => {
  expect(await readParquet(GRAPH_FILES["graph-nodes"].write(GRAPH))).toEqual(NODES);
  expect(await readParquet(GRAPH_FILES["graph-edges"].write(GRAPH))).toEqual(EDGES);
  expect(await readParquet(GRAPH_FILES["graph-edges"].write({ ...GRAPH, edges: () => [] }))).toEqual([]);
});

test("rows of any values read back, whatever the size of a group", async () => {
  const text = fc.option(fc.string({ unit: "grapheme" }));
  const row = fc.record({
    text,
    count: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
    // The writer's dictionary has one zero, whichever of the two comes first.
    share: fc.option(fc.double({ noNaN: true }).map((value) => (value === 0 ? 0 : value))),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row), fc.integer({ min: 1, max: 7 }), async (rows, rowsPerGroup) => {
      const columns = { text: "string", count: "int", share: "double" } as const;
      expect(await readParquet(writeParquet(columns, rows, rowsPerGroup))).toEqual(rows);
    }),
  );
});

test("GraphML has each node with its attributes, and each edge", async () => {
  const xml = Buffer.from(await join(GRAPH_FILES.graphml.write(GRAPH))).toString();
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "" });
  const { graphml } = parser.parse(xml);
  expect(graphml.key).toContainEqual({ id: "pageRank", for: "node", "attr.name": "pageRank", "attr.type": "double" });
  expect(graphml.graph.edge).toEqual({ source: "n1", target: "n0" });
  expect(graphml.graph.node).toEqual([
    {
      id: "n0",
      data: [
        { key: "url", "#text": "https://a.test/?a=1&b" },
        { key: "status", "#text": "completed" },
        { key: "title", "#text": "<A> & Ö" },
        { key: "pageRank", "#text": 0.75 },
        { key: "inLinks", "#text": 1 },
      ],
    },
    {
      id: "n1",
      data: [
        { key: "url", "#text": "https://a.test/b" },
        { key: "status", "#text": "errored" },
        { key: "pageRank", "#text": 0.25 },
        { key: "inLinks", "#text": 0 },
      ],
    },
  ]);
});

test("GraphML has no character that XML cannot have", async () => {
  const nodes = () => [{ ...(NODES[0] as GraphNode), title: "a\0b\u001bc\ud800d\uffffe" }];
  const xml = Buffer.from(await join(GRAPH_FILES.graphml.write({ nodes, edges: () => [] }))).toString();
  expect(xml).toContain('<data key="title">a\ufffdb\ufffdc\ufffdd\ufffde</data>');
});
