// Parquet is no part of crawling, and this is the only writer that runs without Node, in 100 kB without dependencies
// but its reader.
import { ByteWriter, ParquetWriter } from "hyparquet-writer";

/** `string`: UTF-8. `int`: 32 bits, signed. Each column may hold null. */
type ColumnType = "string" | "int" | "double";
type Value = string | number | null;

const ELEMENTS = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  int: { type: "INT32" },
  double: { type: "DOUBLE" },
} as const;

/**
 * Writes rows as a Parquet file with Snappy compression: https://parquet.apache.org/docs/file-format/. Memory: the rows
 * of one group, and some 200 bytes for each column of each group, because the file ends with a list of them.
 */
export async function* writeParquet<Name extends string>(
  columns: Record<Name, ColumnType>,
  rows: AsyncIterable<Record<Name, Value>> | Iterable<Record<Name, Value>>,
  rowsPerGroup: number,
): AsyncGenerator<Uint8Array, void> {
  const names = Object.keys(columns) as Name[];
  const bytes = new ByteWriter();
  const schema = names.map((name) => ({ name, repetition_type: "OPTIONAL" as const, ...ELEMENTS[columns[name]] }));
  const file = new ParquetWriter({ writer: bytes, schema: [{ name: "root", num_children: names.length }, ...schema] });
  const takeBytes = () => {
    const taken = bytes.getBytes().slice();
    bytes.index = 0;
    return taken;
  };
  let group: Record<Name, Value>[] = [];
  const writeGroup = () => {
    file.write({ columnData: names.map((name) => ({ name, data: group.map((row) => row[name]) })) });
    group = [];
    return takeBytes();
  };
  for await (const row of rows) {
    group.push(row);
    if (group.length === rowsPerGroup) yield writeGroup();
  }
  if (group.length > 0) yield writeGroup();
  file.finish();
  yield takeBytes();
}
