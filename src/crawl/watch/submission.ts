import { canonicalize, MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { hostOf, originOf } from "../../url/host-key.ts";

/**
 * What an owner submits by IndexNow: URLs that have changed, and a key that a file on the host must hold.
 * https://www.indexnow.org/documentation
 */
export interface Submission {
  /** `URL.host` of all its URLs. */
  host: string;
  key: string;
  /** The canonical URL of the key file. */
  location: string;
  /** Canonical, each once. */
  urls: string[];
}

interface SubmissionRequest {
  /** Null: the host of the first URL. */
  host: string | null;
  key: string;
  /** Null: `KEY.txt` in the root folder of the host. */
  keyLocation: string | null;
  urls: readonly string[];
}

const KEY = /^[a-zA-Z0-9-]{8,128}$/;

export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Returns a sentence for what the protocol refuses with 422. */
export function readSubmission({ host, key, keyLocation, urls }: SubmissionRequest): Submission | { problem: string } {
  if (!isKey(key)) return { problem: "A key has 8 to 128 letters, digits and dashes." };
  const read = urls.map((url) => canonicalize(url));
  const known = read.filter((url) => url !== null && url.length <= MAX_URL_LENGTH) as string[];
  const [first] = known;
  if (first === undefined || known.length < read.length) return { problem: "Not all of the URLs can be crawled." };
  const own = hostOf(first);
  if (host !== null && !isHostOf(host, first)) return { problem: "Not all of the URLs are on the host that is named." };
  if (known.some((url) => hostOf(url) !== own)) return { problem: "The URLs are on more than one host." };
  const location = canonicalize(keyLocation ?? `${originOf(first)}/${key}.txt`);
  if (location === null || location.length > MAX_URL_LENGTH || hostOf(location) !== own)
    return { problem: "The key file is not on the host of the URLs." };
  // What a query chooses is no file: a search or a raw view of what anybody writes could repeat the key.
  if (new URL(location).search !== "") return { problem: "A key file has no query in its URL." };
  // A key file in a folder is for the URLs in that folder: "Option 2" of the documentation.
  const folder = pathOf(location).replace(/[^/]*$/, "");
  if (!known.every((url) => pathOf(url).startsWith(folder)))
    return { problem: `A key file in ${folder} is for URLs in ${folder} alone.` };
  return { host: own, key, location, urls: [...new Set(known)] };
}

/** Whether this is the host of the URL, in any spelling. */
function isHostOf(written: string, url: string): boolean {
  const origin = originOf(url);
  return canonicalize(`${origin.slice(0, origin.indexOf("/"))}//${written}/`) === `${origin}/`;
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
