/**
 * The target of a HYPERLINK field, as an href; null for other fields. Word writes the same instruction in OOXML and in
 * RTF: `HYPERLINK "https://example.com/" \l "place"`.
 */
export function hyperlinkOf(instruction: string): string | null {
  const match = /^\s*HYPERLINK\b/i.exec(instruction);
  if (match === null) return null;
  let url = "";
  let place = "";
  let flag = "";
  for (const [, name, quoted, bare] of instruction
    .slice(match[0].length, 10_000)
    .matchAll(/\\([a-z])|"((?:[^"\\]|\\.)*)"|([^\s"\\]+)/gi)) {
    if (name !== undefined) {
      flag = name.toLowerCase();
      continue;
    }
    const value = quoted?.replace(/\\(.)/g, "$1") ?? bare ?? "";
    if (flag === "l") place = value;
    else if (flag !== "o" && flag !== "t") url ||= value;
    // `\m`, `\n`, `\h` take no value.
    flag = "";
  }
  return joinPlace(url, place);
}

/** An href of a URL and a place in it, either of which may be missing; null if both are. */
export function joinPlace(url: string, place: string): string | null {
  if (url === "" && place === "") return null;
  return place === "" || url.includes("#") ? url : `${url}#${place}`;
}
