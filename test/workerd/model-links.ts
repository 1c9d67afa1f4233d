import { encodePageLinks } from "../../src/graph/page-links.ts";

/** The kept links of a model's page: `links` are those that it lets follow, `nofollow` the others. */
export function linesOf(url: string, links: readonly string[], nofollow: readonly string[] = []): Uint8Array {
  const details = { kind: "a", rel: "", text: "", place: "content", fragment: null } as const;
  const linkOf = (isNofollow: boolean) => (link: string) => ({ url: link, nofollow: isNofollow, ...details });
  const none = { title: null, description: null, canonical: null, alternates: [], ids: [], dropped: 0 };
  return encodePageLinks({ url, ...none, links: [...links.map(linkOf(false)), ...nofollow.map(linkOf(true))] });
}
