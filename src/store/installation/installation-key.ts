import { LedgerStore } from "../ledger/ledger-store.ts";

/** The key by which a host of the operator's own names the installation. It is random, and no secret. */
export class InstallationKey extends LedgerStore {
  /** Makes it when it is first needed. */
  async read(): Promise<string> {
    const [, found] = await this.db.batch<{ key: string }>([
      this.statement("INSERT OR IGNORE INTO installation_key (id, key) VALUES (1, ?1)", [randomKey()]),
      this.db.prepare("SELECT key FROM installation_key"),
    ]);
    const key = found?.results[0]?.key;
    if (key === undefined) throw new Error("the installation has no key");
    return key;
  }
}

/** 128 random bits in hexadecimal. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
