/**
 * A URL as indexes sort it (Sort-friendly URI Reordering Transform): `com,example)/path?query`, so that URLs of one
 * site are neighbours. It equals that of warcio.js and wabac.js, with which ReplayWeb.page looks up URLs in a
 * compressed index: without scheme, `www`, `www2` and the like, user, fragment and default port; in lower case; with
 * sorted query arguments; and with an IPv4 address reversed like a name.
 */
export function surt(url: string): string {
  if (!/^https?:/i.test(url)) return toPrintable(url);
  const bare = url.toLowerCase().replace(/^(https?:\/\/)www\d*\./, "$1");
  if (!URL.canParse(bare)) return toPrintable(url);
  const { hostname, port, pathname, search } = new URL(bare);
  const host = hostname.split(".").reverse().join(",");
  const query = search.slice(1).split("&").sort().join("&");
  return `${host}${port && `:${port}`})${pathname}${query && `?${query}`}`;
}

/** Makes a key one word in ASCII, so that the order of its characters is the order of its bytes. */
function toPrintable(text: string): string {
  return text.replace(/[^\x21-\x7e]+/g, (found) =>
    Array.from(new TextEncoder().encode(found), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(
      "",
    ),
  );
}
