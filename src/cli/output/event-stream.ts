/**
 * The data of the events of a stream
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 */
export async function* eventData(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  let data: string[] = [];
  for await (const text of stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    const lines = (rest + text).split(/\r\n|\n|\r(?=.)/s);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
      if (line !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
  }
}
