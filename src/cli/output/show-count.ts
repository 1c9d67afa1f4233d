/** Shows how far long work is, on standard error: one line that changes on a terminal, else a line now and then. */
export interface ShownCount {
  update(line: string): void;
  end(): void;
}

const LINE_EVERY_MS = 5_000;
const REDRAW_EVERY_MS = 200;

export function showCount(out: NodeJS.WriteStream, isQuiet: boolean): ShownCount {
  if (isQuiet) return { update: () => undefined, end: () => undefined };
  const everyMs = out.isTTY ? REDRAW_EVERY_MS : LINE_EVERY_MS;
  // The first line of a log comes after a while: short work needs none.
  let last = out.isTTY ? 0 : Date.now();
  return {
    update(line) {
      const now = Date.now();
      if (now - last < everyMs) return;
      last = now;
      out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
    },
    end() {
      if (out.isTTY) out.write("\r\x1b[K");
    },
  };
}
