import { encodePageLinks } from "../../src/graph/page-links.ts";

/** The kept links of a model's page: `links` are those that it lets follow. */
export function linesOf(url: string, links: readonly string[]): Uint8Array {
  const details = { kind: "a", nofollow: false, rel: "", text: "", place: "content", fragment: null } as const;
  const none = { title: null, description: null, canonical: null, alternates: [], ids: [], dropped: 0 };
  return encodePageLinks({ url, ...none, links: links.map((link) => ({ url: link, ...details })) });
}
