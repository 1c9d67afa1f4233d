/**
 * Bodies that break parsers, generated on request: too deep, too many, too long, truncated, wrongly encoded, or the
 * worst case of one of our regular expressions.
 */

interface HostilePage {
  /** The expected status and reason of its record. */
  outcome: string;
  /** The expected title of its record; null for none, undefined for any. */
  title?: string | null;
  /** Part of the explanation of its record. */
  explanation?: string;
  /** Default: text/html in UTF-8. */
  contentType?: string;
  body(): string | Uint8Array;
}

const MIB = 1_048_576;
const fill = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length));
const count = (times: number, write: (at: number) => string) =>
  Array.from({ length: times }, (_, at) => write(at)).join("");
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

const shown = (body: () => string | Uint8Array, title: string | null = "shown"): HostilePage => ({
  outcome: "completed null",
  title,
  body,
});
/** HTML after a title that proves that the page was read. */
const html = (write: () => string) => shown(() => `<title>shown</title>${write()}`);
/** Beyond a limit of the parser: what stands before it is read. */
const cutOff = (write: () => string): HostilePage => ({
  ...shown(write, null),
  explanation: "its links were read, and its text up to that point",
});

const NESTED = {
  "nested-div": "<div>",
  "nested-table": "<table><tr><td>",
  "nested-form": "<form>",
  "nested-svg": "<svg>",
  "nested-math": "<math>",
  "nested-template": "<template>",
  "nested-link": "<a href=/x>",
};
const nested = Object.entries(NESTED).map(([name, tag]) => [name, cutOff(() => tag.repeat(100_000))] as const);

/** Lead bytes without a trail byte, before a tag and at the end of the file. */
const LEAD_BYTES = {
  "utf-8": 0xe4,
  gbk: 0x81,
  big5: 0xa4,
  shift_jis: 0x81,
  "euc-jp": 0xa4,
  "euc-kr": 0xb0,
  gb18030: 0x90,
};
const cut = Object.entries(LEAD_BYTES).map(([label, lead]): [string, HostilePage] => [
  `cut-${label}`,
  {
    ...shown(() => bytes("<title>a", [lead], "</title><p>", [lead]), "a\ufffd"),
    contentType: `text/html; charset=${label}`,
  },
]);

const LAUGHS = count(10, (at) => `<!ENTITY l${at} "${at === 0 ? "ha" : `&l${at - 1};`.repeat(10)}">`);

export const HOSTILE_PAGES: Record<string, HostilePage> = {
  ...Object.fromEntries([...nested, ...cut]),

  "end-tags": cutOff(() => "<b>".repeat(4_900) + fill("</q>", 9 * MIB)),
  "elements-500000": cutOff(() => "<p></p>".repeat(500_000)),
  "elements-400000": html(() => "<p></p>".repeat(400_000)),
  "entities-million": cutOff(() => "&amp;".repeat(1_000_000)),
  "entities-million-in-attribute": html(() => `<p title="${"&amp;".repeat(1_000_000)}">`),
  "links-million": { outcome: "skipped too-large", body: () => count(1_000_000, (at) => `<a href=${at}></a>`) },
  "links-400000": html(() => count(400_000, (at) => `<a href=${at}></a>`)),
  "links-150000": html(() => count(150_000, (at) => `<a href=/many/${at}></a>`)),
  "attributes-megabyte": html(() => `<p ${count(80_000, (at) => `a${at}=${at} `)}><p class="${fill("a ", MIB)}">`),
  "attributes-million": cutOff(() => `<p ${count(1_000_000, (at) => `a${at} `)}>`),
  unclosed: html(() => fill("<p><i><li><td><a href=/x", 20_000)),
  "text-10-mib": shown(() => fill("x", 10 * MIB), null),
  "comment-2-mib": html(() => `<!--${fill("- ", 2 * MIB)}--><p>`),
  "comment-unclosed": html(() => `<!--${fill("--!", 2 * MIB)}`),
  "cdata-unclosed": html(() => `<svg><![CDATA[${fill("]] >", 2 * MIB)}`),
  "script-5-mib": html(() => `<script>${fill("'\"`/*</scrip<!--<script", 5 * MIB)}`),
  "style-5-mib": html(() => `<style>${fill("a{}/*</styl", 5 * MIB)}</style>`),

  "title-5-mib": shown(() => `<title>${fill("ab", 5 * MIB)}`, "ab".repeat(250)),
  "title-spaces": shown(() => `<title>a${fill(" \n", 5 * MIB)}b`, "a b"),
  "base-megabyte": html(() => `<base href="/${fill("a", MIB)}/b">${"<a href=c></a>".repeat(20_000)}`),
  "refresh-megabyte": html(
    () => `<meta http-equiv=refresh content="${fill("1", MIB)}${fill(" ", MIB)};url=${fill("a", MIB)}">`,
  ),
  "robots-megabyte": html(
    () => `<meta name=robots content="${fill("a : ", MIB)}"><a rel="${fill("a ", MIB)}" href=/x>`,
  ),
  "href-megabyte": html(() => `<a href="${fill("\t ", MIB)}x"></a><a href="http://${fill("é", MIB)}/"></a>`),
  "href-path": html(() => `<a href="${fill("../", MIB)}x"></a><a href="/${fill(";jsessionid=%4%31", MIB)}"></a>`),
  "href-query": html(() => `<a href="/?${fill("cfid=1&utm_a=%75&", MIB)}x"></a><a href="//${fill("@", MIB)}h/"></a>`),
  "data-attributes": html(() => `<p ${count(100_000, (at) => `data-a${at}="['/${at}" `)}>`),
  "xml-declaration": shown(() => bytes(`<?xml ${fill('encoding=""', 64_000)}`, [0xff], "><title>shown</title>")),
  "meta-charset": html(() => `<meta content="${fill("charset = ", 64_000)}"><meta ${fill("charset", 64_000)}`),

  "frames-recursive": html(() => '<iframe src=""></iframe><frameset><frame src="/frames-recursive"></frameset>'),
  srcdoc: html(() => `<iframe srcdoc="${fill("<iframe srcdoc='", 100_000)}"></iframe>`),
  "nul-bytes": shown(
    () =>
      '<ti\0tle>no</ti\0tle><title>shown</title><a h\0ref="/x" href="/a\0b">\0</a\0><\0p>'.replace("shown", "sho\0wn"),
    "sho\ufffdwn",
  ),
  "nul-only": { outcome: "skipped content-type", body: () => new Uint8Array(100_000) },
  binary: { outcome: "skipped content-type", body: () => Buffer.alloc(100_000, Buffer.from([0, 1, 2, 255])) },
  png: {
    outcome: "skipped content-type",
    body: () => bytes([0x89], "PNG\r\n", [0x1a, 0x0a], [0, 0, 0, 13], "IHDR", [0, 0, 1, 0, 0, 0, 1, 0, 8, 6, 0, 0, 0]),
  },
  "pdf-polyglot": {
    outcome: "errored damaged",
    body: () => "%PDF-1.4\n<!doctype html><title>shown</title>\n1 0 obj<</Type/Catalog>>endobj\n%%EOF",
  },
  "utf-8-wrong": shown(() => bytes("<title>", [0xc0, 0xaf, 0xed, 0xa0, 0x80], "</title>"), "\ufffd".repeat(5)),
  "charset-unknown": {
    ...shown(() => '<meta charset="nonsense"><title>é</title>', "é"),
    contentType: 'text/html; charset="no such thing"',
  },
  "charset-forbidden": {
    ...shown(() => '<meta charset="iso-2022-cn"><title>é</title>', "é"),
    contentType: "text/html; charset=utf-7",
  },
  "xhtml-laughs": {
    ...shown(
      () => `<?xml version="1.0"?><!DOCTYPE html [${LAUGHS}]><html><head><title>&l9;</title></head></html>`,
      "&l9;",
    ),
    contentType: "application/xhtml+xml",
  },
  "xhtml-entity-of-a-file": {
    ...shown(() => '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><title>&x;</title>', "&x;"),
    contentType: "application/xhtml+xml",
  },
};
