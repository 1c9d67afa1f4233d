import fc from "fast-check";

/** HTML of blocks that are hard to write in Markdown: what they hold reads like its marks. */

const NASTY = (
  "a b c word 语 日本語 слово مرحبا é 1. 2) 10. - + * ** *** _ __ ~ ~~ ` `` ``` # ## ### C# #1 = == --- - - * * > >> | || |a| :-: :--- [a] [a]( ](b) [^1] [x] [ ] " +
  "! !! \\ \\\\ \\* &lt;b&gt; &lt;/p&gt; &lt;!-- &lt; &gt; &amp;amp; &amp;copy; &amp; $ $5 $$ ( ) (a) {b} a_b_c _a_ *a* **a** ~a~ 2*3*4 HEAD~3..HEAD~2 " +
  "http://example.com/a_b_ https://example.com/*a*?b=[c] www.example.com/~a~ a@b.example “a” „b“ 。「語」 € €5 ½ … https://example.com/. www.a.example&lt;b"
).split(" ");

const word = fc.constantFrom(...NASTY);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(" ", " ", "", "\n", "  ")), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.map(([one, space]) => `${one}${space}`).join(""));
const url = fc.constantFrom(
  "/a",
  "/a_(b)",
  "/a)",
  "/a(",
  "/a b",
  "/a|b",
  "/a?b=1&amp;c=2",
  "/a?b=&amp;copy;",
  "/*a*",
  "#a",
  "/“a”",
);
const within =
  (name: string, attributes = "") =>
  (inner: string) =>
    `<${name}${attributes}>${inner}</${name}>`;

const inline = fc.letrec<{ inline: string; piece: string }>((tie) => ({
  inline: fc.array(tie("piece"), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
  piece: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc
      .tuple(fc.constantFrom("b", "strong", "i", "em", "del", "s", "sub", "sup", "q", "span", "abbr"), tie("inline"))
      .map(([name, inner]) => within(name)(inner)),
    text.map(within("code")),
    text.map(within("kbd")),
    fc
      .tuple(url, fc.constantFrom("", " title='a &quot;b&quot; \\'"), tie("inline"))
      .map(([href, title, inner]) => within("a", ` href="${href}"${title.replace("\\'", "'")}`)(inner)),
    fc.tuple(url, text).map(([src, alt]) => `<img src="${src}" alt="${alt.replaceAll('"', "")}">`),
    fc.constant("<br>"),
    fc.constant("<br><br>"),
  ),
})).inline;

const code = fc
  .array(fc.oneof(text, fc.constantFrom("```", "````", "~~~", "", "    a", "# a", "\ta")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((lines) => lines.join("\n"));
const language = fc.constantFrom("", ' class="language-js"', ' class="language-c++"');

const { blocks } = fc.letrec<{ blocks: string; block: string; item: string; cell: string }>((tie) => ({
  blocks: fc.array(tie("block"), { minLength: 1, maxLength: 4 }).map((some) => some.join("\n")),
  item: fc.oneof(
    inline,
    fc.tuple(inline, tie("blocks")).map(([start, rest]) => start + rest),
    tie("blocks"),
    fc.constant(""),
    inline.map((inner) => `<input type=checkbox>${inner}`),
  ),
  cell: fc.oneof(
    inline,
    inline,
    fc.array(inline, { minLength: 1, maxLength: 3 }).map((items) => within("ul")(items.map(within("li")).join(""))),
  ),
  block: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    inline.map(within("p")),
    inline,
    fc.tuple(fc.integer({ min: 1, max: 6 }), inline).map(([level, inner]) => within(`h${level}`)(inner)),
    fc.tuple(language, code).map(([attribute, inner]) => within("pre")(within("code", attribute)(inner))),
    fc
      .array(tie("item"), { minLength: 1, maxLength: 3 })
      .map((items) => within("ul")(items.map(within("li")).join("\n"))),
    fc
      .tuple(
        fc.constantFrom("", " start=0", " start=7", " start=-1"),
        fc.array(fc.tuple(fc.constantFrom("", "", " value=4"), tie("item")), { minLength: 1, maxLength: 3 }),
      )
      .map(([start, items]) => within("ol", start)(items.map(([value, inner]) => within("li", value)(inner)).join(""))),
    fc
      .array(fc.tuple(inline, tie("item")), { minLength: 1, maxLength: 2 })
      .map((pairs) => within("dl")(pairs.map(([term, text]) => within("dt")(term) + within("dd")(text)).join(""))),
    tie("blocks").map(within("blockquote")),
    tie("blocks").map(within("div")),
    fc.tuple(url, tie("blocks")).map(([href, inner]) => within("a", ` href="${href}"`)(inner)),
    tie("blocks").map(within("b")),
    fc.tuple(inline, tie("blocks")).map(([summary, inner]) => within("details")(within("summary")(summary) + inner)),
    inline.map((caption) => `<figure><img src=a.png>${within("figcaption")(caption)}</figure>`),
    fc
      .tuple(
        fc.boolean(),
        fc.array(fc.array(tie("cell"), { minLength: 2, maxLength: 2 }), { minLength: 2, maxLength: 3 }),
      )
      .map(([isHeaded, rows]) =>
        within("table")(
          rows
            .map((cells, at) => within("tr")(cells.map(within(isHeaded && at === 0 ? "th" : "td")).join("")))
            .join(""),
        ),
      ),
    fc.constant("<hr>"),
  ),
}));

/** Of some blocks, one in another. */
export const generatedBlocks = blocks;
