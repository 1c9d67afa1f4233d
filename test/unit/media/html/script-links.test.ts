import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ScriptLinks } from "../../../../src/media/html/links/script-links.ts";

const inScript = (script: string) => hrefs((links) => links.readScript(script));
const inData = (value: string) => hrefs((links) => links.readData(value));
function hrefs(read: (links: ScriptLinks) => void): string[] {
  const links = new ScriptLinks();
  read(links);
  return [...links.hrefs];
}

describe("what looks like a page", () => {
  test.each([
    "/a",
    "/a/b.html?c=d&e[]=f#g",
    "/a/?b",
    "/?p=1",
    "/@name",
    "/~user/",
    "/%C3%BC",
    "/ü/日本",
    "/wiki/Orb_(web)",
    "/wiki/Talk:Orb",
    "/__X__/a",
    "/it's",
    "https://a.example",
    "http://localhost:8787/a",
    "HTTPS://A.EXAMPLE/B",
    "//a.example/b",
    "//localhost:8787/b",
    "https://bücher.example/",
  ])("%j", (url) => expect([...inScript(`x("${url}")`), ...inData(url)]).toEqual([url, url]));

  test.each([
    "",
    "/",
    "//",
    "///",
    "/#top",
    "/*",
    "/,",
    "/ a",
    "/a b",
    "/a\tb",
    "/<b>",
    "/a{id}",
    "/a/*",
    "/a|/b",
    "/^a$/",
    "/$1",
    "/[a-z]/",
    "/posts/[id]?a",
    "/(?:a)/",
    "/a.+/",
    "/users/:id",
    "/:id",
    "/100%/a",
    "/a/%s",
    "//div/span",
    "// a comment",
    "//# sourceMappingURL=a.b",
    "http://",
    "https:///a",
    "http://a:99999/",
    "http://[a.b",
    "https://a.example/`b",
    "1/2/2003",
    "text/html",
    "./a",
    "../a",
    "a/b",
    "react",
    "#/route",
    "mailto:a@b.example",
    "javascript:0",
    "data:image/png;base64,/9j/4AAQ",
    "ftp://a.example/",
    "httpx://a.example/",
    `/${"a".repeat(2_048)}`,
  ])("%j does not", (text) => expect([...inScript(`x('${text}')`), ...inData(text)]).toEqual([]));
});

describe("strings in scripts", () => {
  test.each([
    [`location = "/a"`, ["/a"]],
    [`x('/a', "/b", \`/c\`)`, ["/a", "/b", "/c"]],
    [`"https:\\/\\/a.example\\/b"`, ["https://a.example/b"]],
    [`"\\u002Fa\\u002fb\\x2Fc"`, ["/a/b/c"]],
    [`"\\u0068ttps://a.example/?b\\u0026c\\u003dd"`, ["https://a.example/?b&c=d"]],
    [`"/a\\nb" "/\\u{61}" "\\u00zz/c" "/d"`, ["/d"]],
    [`"it's", "/a"`, ["/a"]],
    [`'say "/no"', "/a"`, ["/a"]],
    [`'\\'', "/a", "\\\\", "/b"`, ["/a", "/b"]],
    ["'/a\\\nb', '/c'", ["/c"]],
    [`"/a" + id + "/b"`, ["/b"]],
    [`"/a"\n  + id, "/b"`, ["/b"]],
    [`x["/a"] + "/b"`, ["/a", "/b"]],
    [`"/a", "/b", "/a"`, ["/a", "/b"]],
    [`"a", "/b", /c/, "d"`, ["/b"]],
  ])("%j", (script, expected) => expect(inScript(script)).toEqual(expected));
});

describe("what might derail the scanner", () => {
  test.each([
    [`x = 'open\ny = "/a"`, ["/a"]],
    [`x = "open\r\ny = '/a'`, ["/a"]],
    [`// don't "\nx = "/a"`, ["/a"]],
    [`/* don't "\n " */ x = "/a"`, ["/a"]],
    [`// "/old"\n/* "/older" */ "/a"`, ["/a"]],
    [`<!-- don't\nx = "/a"\n// -->`, ["/a"]],
    [`x /* open\ny = "/a"`, ["/a"]],
    [`"/*", "/a", '*/', "/b"`, ["/a", "/b"]],
    [`"//", "/a"`, ["/a"]],
    [`x.replace(/"/g, "&quot;"), "/a"`, ["/a"]],
    [`x.replace(/"/g,"/a").replace(/'/g,"/b")`, ["/a", "/b"]],
    [`x = /["'/]/.test(y), "/a"`, ["/a"]],
    [`x = /\\/"\\[/, "/a"`, ["/a"]],
    [`return/"/.test(x)?"/a":"/b"`, ["/a", "/b"]],
    [`x = a / b, y = c / d, "/a"`, ["/a"]],
    [`x = (a) / 2 + "'" / 1, "/a"`, ["/a"]],
    [`$return / 2, "/a" / 3`, ["/a"]],
    [`x = y[0] / 2; z = "/a"`, ["/a"]],
    [`x = / open [ " \ny = "/a"`, ["/a"]],
    [`x = \`don't \${a} "\`; "/a"`, ["/a"]],
    [`x = \`/no/\${id}\`; "/a"`, ["/a"]],
    [`x = \`\${id}/no\`; "/a"`, ["/a"]],
    [`x = \`\${a ? "/a" : \`\${b}"\`} don't\`; "/b"`, ["/a", "/b"]],
    [`x = \`\${(() => { return {} })()} "\`; "/a"`, ["/a"]],
    [`x = \`\\\`\\\${ " \`; "/a"`, ["/a"]],
    ["x = `\n/no\n`, `/a`", ["/a"]],
    [`x = \` open "/a"\ny = "/b"`, ["/a", "/b"]],
    [`x = \`\${ open "/a"\ny = "/b"`, ["/a", "/b"]],
    [`x = \`\${ a } open\ny = "/b"`, ["/b"]],
    [`}}} "/a"`, ["/a"]],
    [`"/a`, []],
    [`"/a\\`, []],
    ["", []],
  ])("%j", (script, expected) => expect(inScript(script)).toEqual(expected));

  test("whatever quotes and slashes stand before it, a string on a line of its own is found", () => {
    const piece = fc.constantFrom(
      ..."\" ' / \\ { } [ ] ( ) + = , ; x 1 \n \r".split(" "),
      " ",
      "//",
      "return",
      "/a",
      "http:",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        // A backslash before a line's end continues a string on the next.
        const noise = pieces.join("").replace(/\\+(?=[\n\r]|$)/g, "");
        expect(inScript(`${noise}\n"/wanted"\n`)).toContain("/wanted");
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("JSON", () => {
  test("every value of JSON-LD that is a URL, but for those that name a vocabulary", () => {
    const json = JSON.stringify({
      "@context": "https://schema.org",
      "@type": "https://schema.org/Article",
      "@id": "https://a.example/#article",
      url: "/a",
      sameAs: ["https://b.example/me", "//c.example/me"],
      mainEntityOfPage: { "@id": "https://a.example/b" },
      itemListElement: [{ item: "/c", name: "It's /not" }],
      datePublished: "1/2/2003",
      encodingFormat: "text/html",
    });
    const expected = [
      "https://a.example/#article",
      "/a",
      "https://b.example/me",
      "//c.example/me",
      "https://a.example/b",
      "/c",
    ];
    expect(inScript(json)).toEqual(expected);
    expect(inScript(json.replaceAll("/", "\\/"))).toEqual(expected);
    expect(inScript(json.replaceAll("/", "\\u002F"))).toEqual(expected);
    expect(inData(` ${json}`)).toEqual(expected);
  });

  test("every string that JSON holds is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(fc.array(fc.webPath().map((path) => `/p${path}`)), fc.json(), (paths, other) => {
        const found = inScript(JSON.stringify([paths, JSON.parse(other)]));
        expect(found).toEqual(expect.arrayContaining(paths.filter((path) => !/[*$]|\/:|\.\+/.test(path))));
      }),
    );
  });
});

test.each([
  [" /a\n", ["/a"]],
  ["/a /b", []],
  ['["/a",{"b":"\\/c"}]', ["/a", "/c"]],
  ["{'a': '/b'}", ["/b"]],
  ["go('/a')", []],
  ["[", []],
  ["", []],
])("data %j", (value, expected) => expect(inData(value)).toEqual(expected));

describe("bounds", () => {
  const MEGA = 1_000_000;

  test("a thousand URLs", () => {
    const many = Array.from({ length: 1_500 }, (_, at) => `"/${at}"`);
    const links = new ScriptLinks();
    links.readScript(many.join());
    links.readData("/data");
    expect(links.hrefs.size).toBe(1_000);
    expect([...links.hrefs].at(-1)).toBe("/999");
  });

  test("a million characters, over all scripts", () => {
    const links = new ScriptLinks();
    links.readScript(`"/a"${" ".repeat(MEGA / 2)}`);
    links.readScript(`${" ".repeat(MEGA / 2 - 8)}"/b" "/c"`);
    links.readScript('"/d"');
    links.readData('["/e"]');
    links.readData("/f");
    expect([...links.hrefs]).toEqual(["/a", "/b", "/f"]);
  });

  /**
   * Of each of these a scanner that looks ahead from every character would make 10^12 steps: hours, and the test has
   * seconds.
   */
  test.each([
    '"',
    "'\\",
    '"/',
    '"/a" ',
    '"" ',
    "\\",
    "/",
    "/*",
    "/* ",
    "=/[",
    "=/\\",
    "(/(",
    "/ ",
    "` ",
    "\\`",
    "`${",
    `\`\${}`,
    "${`",
    "{",
    "}",
    "`${{",
    " ",
    "'\n",
    "=/\n",
    '"\\u002F',
    '"%',
    '"/:',
    '"http://',
    "return",
    "\u2028",
  ])("a megabyte of %j", (unit) => {
    inScript(unit.repeat(MEGA / unit.length));
    inScript(`"/${unit.repeat(MEGA / unit.length)}"`);
    inData(`/${unit.repeat(MEGA / unit.length)}`);
  });

  test("a megabyte of templates in one another that do not end", () => {
    inScript("`${".repeat(MEGA / 4) + "}".repeat(MEGA / 4));
  });

  test("any text can be read, and what is found is short and has no white space", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const href of [...inScript(text), ...inData(text)]) expect(href).toMatch(/^(?:\/|https?:)\S{1,2047}$/i);
      }),
    );
  });
});
