/**
 * Drops the Worker's own log lines, of which there are thousands here: each would cost a message to the test runner. A
 * module, because the setup runs again for each file of tests and this is done once. log.test.ts reads the lines.
 */

for (const level of ["log", "warn", "error"] as const) {
  const print = console[level];
  console[level] = (...lines: unknown[]) => {
    if (!String(lines[0]).startsWith('{"event":')) print(...lines);
  };
}
