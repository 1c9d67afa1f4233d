import { afterAll, vi } from "vitest";

/**
 * Lets the commands of this file ask all private hosts, as the operator may. For sites that lead to other hosts of this
 * machine, which stand for hosts of the web. Files share a process, so the last test takes it back.
 */
export function allowPrivateHosts(): void {
  vi.stubEnv("ALLOW_PRIVATE", "true");
  afterAll(() => {
    vi.unstubAllEnvs();
  });
}
