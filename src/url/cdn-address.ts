import { compileBlock, ipv4Bits, isInBlock } from "./address-block.ts";

/**
 * Tells the addresses of content delivery networks. Such an address is announced all over the world, so its registered
 * country says nothing of the site behind it. The table holds the IPv4 blocks that the four largest networks publish
 * for firewalls, as of 2026. They grow by a block in some years, and other networks are not in the table.
 */

const BLOCKS: Record<string, string> = {
  // https://www.cloudflare.com/ips-v4
  Cloudflare: `103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 104.16.0.0/13 104.24.0.0/14 108.162.192.0/18 131.0.72.0/22
    141.101.64.0/18 162.158.0.0/15 172.64.0.0/13 173.245.48.0/20 188.114.96.0/20 190.93.240.0/20 197.234.240.0/22
    198.41.128.0/17`,
  // https://api.fastly.com/public-ip-list
  Fastly: `23.235.32.0/20 43.249.72.0/22 103.244.50.0/24 103.245.222.0/23 103.245.224.0/24 104.156.80.0/20
    140.248.64.0/18 140.248.128.0/17 146.75.0.0/17 151.101.0.0/16 157.52.64.0/18 167.82.0.0/17 167.82.128.0/20
    167.82.160.0/20 167.82.224.0/20 172.111.64.0/18 185.31.16.0/22 199.27.72.0/21 199.232.0.0/16`,
  // https://techdocs.akamai.com/origin-ip-acl/docs/update-your-origin-server
  Akamai: `2.16.0.0/13 23.0.0.0/12 23.32.0.0/11 23.64.0.0/14 23.72.0.0/13 23.192.0.0/11 69.192.0.0/16 72.246.0.0/15
    88.221.0.0/16 92.122.0.0/15 95.100.0.0/15 96.6.0.0/15 96.16.0.0/15 104.64.0.0/10 118.214.0.0/16 173.222.0.0/15
    184.24.0.0/13 184.50.0.0/15 184.84.0.0/14`,
  // https://ip-ranges.amazonaws.com/ip-ranges.json, service CLOUDFRONT, without its small regional caches
  CloudFront: `3.160.0.0/14 13.32.0.0/15 13.35.0.0/16 13.224.0.0/14 13.249.0.0/16 15.158.0.0/16 18.64.0.0/14
    18.154.0.0/15 18.160.0.0/15 18.164.0.0/15 18.172.0.0/15 18.238.0.0/15 18.244.0.0/15 52.46.0.0/18 52.84.0.0/15
    52.124.128.0/17 52.222.128.0/17 54.182.0.0/16 54.192.0.0/16 54.230.0.0/16 54.239.128.0/18 54.239.192.0/19
    54.240.128.0/18 64.252.64.0/18 64.252.128.0/18 65.8.0.0/15 70.132.0.0/18 71.152.0.0/17 99.84.0.0/16
    99.86.0.0/16 108.138.0.0/15 108.156.0.0/14 130.176.0.0/16 143.204.0.0/16 144.220.0.0/16 204.246.164.0/22
    204.246.168.0/21 204.246.176.0/20 205.251.200.0/21 205.251.208.0/20 205.251.249.0/24 205.251.250.0/23
    205.251.252.0/23 205.251.254.0/24 216.137.32.0/19`,
};

const NETWORKS = Object.entries(BLOCKS).map(([name, blocks]) => ({
  name,
  blocks: blocks.split(/\s+/).map(compileBlock),
}));

/** The name of the network that has this IPv4 address; null for any other address. */
export function cdnOf(address: string): string | null {
  const bits = ipv4Bits(address);
  return NETWORKS.find(({ blocks }) => blocks.some((block) => isInBlock(bits, block)))?.name ?? null;
}
