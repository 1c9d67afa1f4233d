/**
 * Which of several ledgers has a host: rendezvous hashing (Thaler and Ravishankar, 1998). Each ledger has a score for
 * the host, and the highest wins. A ledger that is added takes its share of the hosts from all others, and no host
 * moves between those.
 */

/** `host`: as `hostKey` gives it, so all ports of a machine stay together. `ledgers`: at least one. */
export function shardOf(host: string, ledgers: readonly number[]): number {
  const low = hashText(host, 0x811c9dc5);
  const high = hashText(host, 0x2f0b4c47);
  let best = ledgers[0] ?? 0;
  let bestScore = -1;
  for (const ledger of ledgers) {
    const score = scoreOf(low, high, ledger);
    if (score > bestScore || (score === bestScore && ledger < best)) [best, bestScore] = [ledger, score];
  }
  return best;
}

/** 52 bits of both hashes and the number of the ledger. */
function scoreOf(low: number, high: number, ledger: number): number {
  const salt = mix(Math.imul(ledger + 1, 0x9e3779b1));
  return (mix(high ^ salt) >>> 6) * 0x4000000 + (mix(low + salt) >>> 6);
}

/** FNV-1a over UTF-16 units. */
function hashText(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash);
}

/** The finalizer of MurmurHash3: each bit of the input changes half of the bits. */
function mix(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
