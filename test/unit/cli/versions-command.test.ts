import { expect, test } from "vitest";
import type { VersionsView } from "../../../src/api/views.ts";
import { describeVersions } from "../../../src/cli/queries/versions-command.ts";

const PAGE: VersionsView["versions"][number] = {
  time: "2026-11-21T09:30:00.500Z",
  crawl: "c-1",
  status: "completed",
  httpStatus: 200,
  redirectTo: null,
  contentType: "text/html",
  bytes: 12_345,
  sha256: "0123456789abcdef",
  changed: true,
  replay: "/replay/c-1/20261121093000/https://a.test/",
};

test("each version has a line, and one of them an address", () => {
  const gone = { ...PAGE, status: "errored", httpStatus: 410, bytes: null, sha256: null, replay: null } as const;
  const moved = {
    ...PAGE,
    httpStatus: 301,
    redirectTo: "https://a.test/b",
    bytes: null,
    sha256: null,
    replay: "/replay/x",
  };
  const versions = [gone, PAGE, { ...PAGE, changed: false }, { ...moved, changed: null }];
  expect(describeVersions({ url: "https://a.test/", versions })).toBe(
    [
      "https://a.test/",
      "",
      "TIME (UTC)           CRAWL  CODE  SIZE     CONTENT  SHA-256",
      "2026-11-21 09:30:00  c-1    410   -        changed  -",
      "2026-11-21 09:30:00  c-1    200   12.3 kB  changed  0123456789ab",
      "2026-11-21 09:30:00  c-1    200   12.3 kB  same     0123456789ab",
      "2026-11-21 09:30:00  c-1    301   -        first    to https://a.test/b",
      "",
      "To look at a version, open /replay/CRAWL/TIME/URL at the address that `orbweaver serve` prints, such as:",
      "/replay/c-1/20261121093000/https://a.test/",
    ].join("\n"),
  );
});

test("without versions, it says what to do next", () => {
  expect(describeVersions({ url: "https://a.test/", versions: [] })).toBe(
    "No crawl has fetched https://a.test/. To crawl it: npm run orbweaver -- crawl https://a.test/",
  );
});
