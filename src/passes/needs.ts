import type { Deps, RoomDeps } from "../frontier/deps.ts";

/** What passes are begun and mended with. Their steps work with `PassDeps` (pass-run.ts). */

/** The rows of passes, and their instances. */
export type PassRuns = Pick<Deps, "passes" | "passRuns">;

/** Makes a pass go on. */
export type ReviveDeps = PassRuns & Pick<Deps, "clock" | "boot">;

/** Begins a pass if the database has room. */
export type StartPassDeps = ReviveDeps & RoomDeps;
