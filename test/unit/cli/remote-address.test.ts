import { expect, test, vi } from "vitest";
import { remoteUrl } from "../../../src/cli/flags/shared-options.ts";
import { openInstallation } from "../../../src/cli/installation/installation.ts";
import { requireEncryption } from "../../../src/cli/installation/remote-address.ts";
import { locationFlags } from "../../../src/cli/output/go-on.ts";

/** Where a command sends its token. */

test.each([
  "https://crawler.example.com",
  "crawler.example.com",
  "https://10.0.0.1:8787",
  "127.0.0.1:8787",
  "http://127.8.9.10",
  "http://127.1",
  "http://2130706433:8787",
  "localhost:8787",
  "http://LOCALHOST./",
  "http://crawler.localhost:8787",
  "[::1]:8787",
  "http://[0:0:0:0:0:0:0:1]",
  "http://[::ffff:127.0.0.1]:8787",
])("%s gets the token", (typed) => {
  expect(() => requireEncryption(remoteUrl(typed), false)).not.toThrow();
});

test.each([
  "http://crawler.example.com",
  "HTTP://crawler.example.com",
  "10.0.0.1:8787",
  "http://128.0.0.1",
  "http://[fd00::1]:8787",
  "http://[::2]",
  "http://[::ffff:10.0.0.1]",
  "http://orbweaver:8787",
  "http://localhost.example.com",
  "http://notlocalhost",
  "http://127.0.0.1.example.com",
  "http://localhost@example.com",
])("%s gets the token only if that is allowed", (typed) => {
  const remote = remoteUrl(typed);
  expect(() => requireEncryption(remote, false)).toThrow(
    `${new URL(remote).origin} would get the token unencrypted, and everybody on the way could read it. Use https://, or add --insecure-http`,
  );
  expect(() => requireEncryption(remote, true)).not.toThrow();
});

test("a command that is refused sends nothing", async () => {
  const asked = vi.spyOn(globalThis, "fetch");
  const where = { remote: "http://crawler.example.com", token: "t", state: ".orbweaver" };
  await expect(openInstallation(where, {})).rejects.toMatchObject({ exitCode: 2 });
  expect(asked).not.toHaveBeenCalled();
  await openInstallation({ ...where, insecureHttp: true }, {});
  asked.mockRestore();
});

test("the command to go on has the flag too", () => {
  const where = { remote: "http://10.0.0.1:8787", insecureHttp: true, state: ".orbweaver" };
  expect(locationFlags(where)).toBe(" --remote http://10.0.0.1:8787 --insecure-http");
});
