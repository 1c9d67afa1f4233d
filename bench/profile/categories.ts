/** What a sample of `perf script` was doing. A stack is its lines, the innermost first: `address symbol (object)`. */

/** The first that matches any frame, from the innermost on, wins. */
const CATEGORIES: readonly [name: string, test: RegExp][] = [
  [
    "garbage collection",
    /v8::internal::(?:Heap|Scaveng|MarkCompact|MarkingVisitor|Sweeper|MajorGC|MinorGC|ConcurrentMark|GCTracer|IncrementalMark|Evacuat|PagedSpace|NewSpace|cppgc)|cppgc::/,
  ],
  ["SQLite", /sqlite3|\bsqlite\b/i],
  [
    "gzip",
    /\b(?:deflate|inflate|longest_match|compress_block|deflate_(?:fast|slow|medium|rle|stored)|_tr_|crc32|adler32|slide_hash|insert_string|Cr_z_)/,
  ],
  ["values between isolates", /ValueSerializer|ValueDeserializer|JsRpc/],
  ["digests", /sha(?:1|256|512)|SHA(?:1|256|512)|md5|MD5/],
  [
    "compilation",
    /v8::internal::(?:compiler|baseline|maglev|interpreter::(?:BytecodeGenerator|BytecodeArray)|Compiler|parsing|Parser|PreParser|TurboAssembler|OptimizingCompile)/,
  ],
];

export interface WorkerFunction {
  name: string;
  /** Relative to the folder of the build. */
  file: string;
  /** In the file, from 1; null for a regular expression. */
  line: number | null;
  column: number;
}

/** The function of the Worker that a frame is in; null for another frame. */
export function readFunction(frame: string): WorkerFunction | null {
  const regExp = /RegExp:(.*?)(?: \(|$)/.exec(frame)?.[1];
  if (regExp !== undefined) return { name: `RegExp ${regExp.slice(0, 80)}`, file: "", line: null, column: 0 };
  const [, name = "", file = "", line, column] =
    /(?:JS|Function|Eval|LazyCompile):(?:o\+|[*~^+'])*(\S*) \S*?(index\.js|chunks\/[^/\s]+?\.js):(\d+):(\d+)/.exec(
      frame,
    ) ?? [];
  return line === undefined ? null : { name: name || "(anonymous)", file, line: Number(line), column: Number(column) };
}

export function categoryOf(stack: readonly string[]): string {
  for (const frame of stack) {
    const found = CATEGORIES.find(([, test]) => test.test(frame));
    if (found !== undefined) return found[0];
    if (readFunction(frame) !== null) return frame === stack[0] ? "our own JavaScript" : "V8 for our functions";
  }
  const text = stack.join("\n");
  if (/(?:node|cloudflare|workerd)-internal:/.test(text)) return "JavaScript of the runtime";
  if (/v8::/.test(text)) return "V8 without a function of ours";
  if (/workerd::|kj::|capnp::/.test(text)) return "workerd";
  if (/\[kernel|\[unknown\]|vmlinux|\.ko\b/.test(text)) return "kernel";
  return "other";
}
