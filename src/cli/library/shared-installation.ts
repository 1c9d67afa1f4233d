import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Installation, openInstallation } from "../installation/installation.ts";
import { pauseInterrupted } from "../installation/pause-interrupted.ts";
import { browserOfMachine } from "../machine/find-browser.ts";
import { invalidOption, OrbweaverError } from "./library-error.ts";
import type { LibraryOptions } from "./library-types.ts";

/** The installations that this process uses. Crawls with the same one share it, and the last of them closes it. */

export interface Lease {
  at: Installation;
  /** Whether nothing is kept: the state folder is removed at the end. */
  isTemporary: boolean;
  /** Whether other crawls of this process use it. */
  isShared(): boolean;
  /** Resolves when the installation is closed, if nobody else uses it. Can be called twice. */
  release(): Promise<void>;
}

type Place = Pick<LibraryOptions, "state" | "remote" | "token" | "insecureHttp">;

interface Shared {
  opened: Promise<Installation>;
  users: number;
  temporary: string | null;
}

const shared = new Map<string, Shared>();

/** Throws OrbweaverError and UserError. */
export async function leaseInstallation(place: Place): Promise<Lease> {
  checkPlace(place);
  const key =
    place.remote === undefined ? `local ${place.state === undefined ? "" : resolve(place.state)}` : keyOf(place);
  const entry = shared.get(key) ?? open(key, place);
  entry.users += 1;
  let isReleased = false;
  const release = async () => {
    if (isReleased) return;
    isReleased = true;
    entry.users -= 1;
    if (entry.users > 0) return;
    shared.delete(key);
    await (await entry.opened.catch(() => null))?.dispose();
    if (entry.temporary !== null) rmSync(entry.temporary, { recursive: true, force: true });
  };
  try {
    const at = await entry.opened;
    return { at, isTemporary: entry.temporary !== null, isShared: () => entry.users > 1, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * A browser is found for every crawl, although most need none: it is started for the first page that does, and a crawl
 * that needs one may come to share the installation.
 */
function open(key: string, { state, ...place }: Place): Shared {
  const isTemporary = place.remote === undefined && state === undefined;
  const temporary = isTemporary ? mkdtempSync(join(tmpdir(), "orbweaver-")) : null;
  const where = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
  const order = { ...browserOfMachine(), isTemporary };
  const opened = openInstallation({ ...where, state: temporary ?? state ?? "" }, order).then(async (at) => {
    await pauseInterrupted(at, null);
    return at;
  });
  const entry: Shared = { opened, users: 0, temporary };
  shared.set(key, entry);
  return entry;
}

function keyOf({ remote, token, insecureHttp }: Place): string {
  return JSON.stringify([remote, token, insecureHttp]);
}

function checkPlace({ state, remote, token }: Place): void {
  if (state !== undefined && (typeof state !== "string" || state === ""))
    throw invalidOption("state", "name a folder, such as .orbweaver, or leave it out");
  if (remote === undefined) return;
  if (state !== undefined) throw invalidOption("state", "it is for crawls on this machine; leave out state or remote");
  if (typeof remote !== "string" || !URL.canParse(remote) || !/^https?:/i.test(remote))
    throw invalidOption("remote", "it is not the address of an Orbweaver, such as https://crawler.example.com");
  if (!token && !process.env.ORBWEAVER_TOKEN)
    throw new OrbweaverError(
      "unauthorized",
      `${remote} needs a token: give the option token, or set ORBWEAVER_TOKEN.`,
      "token",
    );
}
