/**
 * The CPU time that this process spends on synchronous `work`, in milliseconds. On a busy machine, the time on the
 * clock is many times as long.
 */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
