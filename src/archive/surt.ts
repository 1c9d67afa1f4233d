/**
 * A URL as indexes sort it (Sort-friendly URI Reordering Transform): `com,example)/path?query`, so that what belongs together stands
 * together. It is made as warcio.js and wabac.js make it, for that is how ReplayWeb.page looks a URL up in a compressed index: scheme,
 * `www`, `www2` and the like, user, fragment and default port are left out, all is in lower case, the query's arguments are sorted, and an
 * IPv4 address is turned round like a name.
 */
export function surt(url: string): string {
  if (!/^https?:/i.test(url)) return printable(url);
  const bare = url.toLowerCase().replace(/^(https?:\/\/)www\d*\./, "$1");
  if (!URL.canParse(bare)) return printable(url);
  const { hostname, port, pathname, search } = new URL(bare);
  const host = hostname.split(".").reverse().join(",");
  const query = search.slice(1).split("&").sort().join("&");
  return `${host}${port && `:${port}`})${pathname}${query && `?${query}`}`;
}

/** A key is one word, and ASCII, so that the order of its characters is the order of its bytes. */
function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]+/g, (found) =>
    Array.from(new TextEncoder().encode(found), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(
      "",
    ),
  );
}
