/** Finds the URLs of a `srcset` and their positions. */

interface SrcsetUrl {
  url: string;
  start: number;
  end: number;
}

const GAP = /[\t\n\f\r ,]*/y;
const URL_CHARACTERS = /[^\t\n\f\r ]+/y;

/**
 * https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute: a URL may contain commas, but not end
 * with one.
 */
export function* findSrcsetUrls(srcset: string): Generator<SrcsetUrl> {
  for (let at = 0; ; ) {
    GAP.lastIndex = at;
    GAP.exec(srcset);
    URL_CHARACTERS.lastIndex = GAP.lastIndex;
    const word = URL_CHARACTERS.exec(srcset)?.[0];
    if (word === undefined) return;
    const start = GAP.lastIndex;
    const url = word.replace(/(?<!,),+$/, "");
    yield { url, start, end: start + url.length };
    at = url.length < word.length ? start + word.length : endOfDescriptors(srcset, start + word.length);
  }
}

/** Returns the position after the comma that ends a candidate. A comma in parentheses does not. */
function endOfDescriptors(srcset: string, from: number): number {
  let isOpen = false;
  for (let at = from; at < srcset.length; at++) {
    const char = srcset.charAt(at);
    if (char === "(") isOpen = true;
    else if (char === ")") isOpen = false;
    else if (char === "," && !isOpen) return at + 1;
  }
  return srcset.length;
}

/**
 * Returns the URL with the largest width or density, or null. `settled`: URLs without spaces, each with at most one
 * descriptor, separated by a comma and a space. A URL without a descriptor has a density of 1.
 */
export function largestSource(settled: string): string | null {
  let largest: string | null = null;
  let most = 0;
  for (const candidate of settled.split(", ")) {
    const [url = "", descriptor = "1x"] = candidate.split(" ");
    const size = Number.parseFloat(descriptor);
    if (url === "" || !(size > most)) continue;
    largest = url;
    most = size;
  }
  return largest;
}
