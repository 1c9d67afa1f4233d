/** Blocks of IPv4 addresses, such as `104.16.0.0/13`. */

interface AddressBlock {
  base: number;
  mask: number;
}

export function compileBlock(block: string): AddressBlock {
  const [address = "", length = ""] = block.split("/");
  const mask = (0xffffffff << (32 - Number(length))) >>> 0;
  return { base: ipv4Bits(address), mask };
}

/** `bits`: an address as a number, see `ipv4Bits`. */
export function isInBlock(bits: number, { base, mask }: AddressBlock): boolean {
  return (bits & mask) >>> 0 === base;
}

/** The address as a number of 32 bits. It expects four decimal numbers, as WHATWG URL writes them. */
export function ipv4Bits(address: string): number {
  return address.split(".").reduce((bits, part) => bits * 256 + Number(part), 0);
}
