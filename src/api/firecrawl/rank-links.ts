/** Orders the URLs of a map by the words of a search. */

interface Named {
  url: string;
  title?: string;
  description?: string;
}

/** Links with more of the words come first; of equal ones, the order stays. */
export function rankLinks<Link extends Named>(links: readonly Link[], search: string): Link[] {
  const words = search.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length === 0) return [...links];
  const scored = links.map((link) => {
    const text = `${decode(link.url)} ${link.title ?? ""} ${link.description ?? ""}`.toLowerCase();
    return { link, score: words.filter((word) => text.includes(word)).length };
  });
  return scored.sort((a, b) => b.score - a.score).map(({ link }) => link);
}

function decode(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}
