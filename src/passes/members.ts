import { unpackJson } from "../core/formats/gzip-json.ts";
import { findHash, hashText, NO_MEMBER } from "./links/url-index.ts";

/**
 * The members of a crawl's packs that hold the links of its pages: one for each batch that was committed, so a crawl of
 * a slow host has one for each page. A member's number is its place in the order of the hashes of pack and offset.
 * Objects `members-N` list them, in blocks, so that a step reads those that it needs.
 */

/** The links of a batch's pages: pack, offset, length. */
export type Member = [pack: string, offset: number, length: number];

/** 8 MB in memory. */
export const MEMBERS_PER_BLOCK = 50_000;
/** A million pages have some 40,000 members of 25 pages each: 10,000 pages a step. */
const LEAST_PER_STEP = 400;
/**
 * Steps that read all members once: six stages do, of the 10,000 steps that an instance may have.
 * https://developers.cloudflare.com/workflows/reference/limits/
 */
const MAX_STEPS = 1_000;

/** Numbers of members that a step takes, of so many. */
export function membersPerStep(members: number): number {
  return Math.max(LEAST_PER_STEP, Math.ceil(members / MAX_STEPS));
}

/** The numbers of steps that take all of them. */
export function countMemberSteps(members: number): number {
  return Math.ceil(members / membersPerStep(members));
}

/** The numbers of the members of each step. */
export function* memberGroups(members: number): Generator<{ group: number; numbers: () => number[] }> {
  const perStep = membersPerStep(members);
  for (let group = 0; group * perStep < members; group++) {
    const first = group * perStep;
    const numbers = () => Array.from({ length: Math.min(perStep, members - first) }, (_, i) => first + i);
    yield { group, numbers };
  }
}

/** Numbers the members of rows, which are added in the order of their nodes. Memory: 32 bytes a row. */
export class MemberNumbers {
  readonly #hashes: BigUint64Array<ArrayBuffer>;
  readonly #words: Uint32Array;
  #rows = 0;

  constructor(rows: number) {
    this.#hashes = new BigUint64Array(rows);
    this.#words = new Uint32Array(this.#hashes.buffer);
  }

  add(member: Member | null): void {
    if (member !== null) this.#words.set(hashText(`${member[0]} ${member[1]}`), 2 * this.#rows);
    this.#rows += 1;
  }

  finish(): { members: number; memberOf: Uint32Array } {
    const sorted = this.#hashes.slice().sort();
    let members = 0;
    for (const hash of sorted)
      if (hash !== 0n && (members === 0 || hash !== sorted[members - 1])) sorted[members++] = hash;
    const words = new Uint32Array(sorted.buffer, 0, 2 * members);
    const memberOf = new Uint32Array(this.#rows).fill(NO_MEMBER);
    for (let node = 0; node < this.#rows; node++) {
      const [low, high] = [this.#words[2 * node] as number, this.#words[2 * node + 1] as number];
      if (low !== 0 || high !== 0) memberOf[node] = findHash(words, low, high);
    }
    return { members, memberOf };
  }
}

/** The members with these numbers. `readBlock`: the bytes of `members-N`. */
export async function readMembers(
  numbers: readonly number[],
  readBlock: (block: number) => Promise<Uint8Array>,
): Promise<ReadonlyMap<number, Member>> {
  const members = new Map<number, Member>();
  for (const [block, some] of Map.groupBy(numbers, (number) => Math.floor(number / MEMBERS_PER_BLOCK))) {
    const all = unpackJson<Member[]>(await readBlock(block));
    for (const number of some) members.set(number, all[number - block * MEMBERS_PER_BLOCK] as Member);
  }
  return members;
}
