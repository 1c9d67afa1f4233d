import { Fingerprints, ORDERS } from "../src/twins/candidates.ts";

let x = 123456789;
const r = () => {
  x ^= x << 13;
  x ^= x >>> 17;
  x ^= x << 5;
  return (x >>> 0).toString(16).padStart(8, "0");
};
const f = new Fingerprints();
const n = 1_000_000;
for (let i = 0; i < n; i++) f.add(i, r() + r());
const t = process.cpuUsage();
let pairs = 0;
f.findPairs(() => pairs++, 0, 20);
const u = process.cpuUsage(t);
console.log(
  "20 orders ms",
  (u.user + u.system) / 1000,
  pairs,
  process.memoryUsage().rss / 1e6,
  process.memoryUsage().arrayBuffers / 1e6,
  ORDERS,
);
