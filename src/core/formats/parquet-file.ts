// Parquet is no part of crawling, and this is the only writer that runs without Node, in 100 kB without dependencies
// but its reader.
import { ByteWriter, ParquetWriter } from "hyparquet-writer";

/** `string`: UTF-8. `int`: 32 bits, signed. `long`: 64 bits, signed. `time`: a Date. Each column may hold null. */
export type ColumnType = "string" | "int" | "long" | "double" | "boolean" | "time";
export type ColumnValue = string | number | bigint | boolean | Date | null;

const ELEMENTS = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  int: { type: "INT32" },
  long: { type: "INT64" },
  double: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
} as const;

/**
 * Writes rows as a Parquet file with Snappy compression: https://parquet.apache.org/docs/file-format/. Memory: the rows
 * of one group, and some 200 bytes for each column of each group, because the file ends with a list of them.
 */
export async function* writeParquet<Name extends string>(
  columns: Record<Name, ColumnType>,
  rows: AsyncIterable<Record<Name, ColumnValue>> | Iterable<Record<Name, ColumnValue>>,
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
  let group: Record<Name, ColumnValue>[] = [];
  const writeGroup = () => {
    const columnData = names.map((name) => ({ name, data: group.map((row) => row[name]) }));
    file.write({ columnData, rowGroupSize: rowsPerGroup });
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
