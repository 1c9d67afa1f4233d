import { describe, expect, test } from "vitest";
import { contentOf } from "./make-content.ts";

const markdown = (html: string) => contentOf(html, ["markdown"]).markdown;

describe("blocks", () => {
  test.each([
    ["<h1>A</h1><h2>B</h2><h6>C</h6><p>d</p>", "# A\n\n## B\n\n###### C\n\nd"],
    ["<h2>A <em>b</em><br>c</h2><h3> </h3><p>d", "## A _b_ c\n\nd"],
    ['<h2>A <a class="headerlink" href="#a">¶</a></h2><p>b', "## A\n\nb"],
    ['<h3><a href="#x">#</a>A</h3><p>b', "### A\n\nb"],
    ["<p>a</p>\n\n\n<p>b</p>", "a\n\nb"],
    ["<div>a<div>b</div>c</div>", "a\n\nb\n\nc"],
    ["<div><div><div>a</div></div><p></p><p> </p></div><div>b</div>", "a\n\nb"],
    ["<p>a<br>b<br/>c</p>", "a\\\nb\\\nc"],
    ["<p>a<br><br>b<br>\n<br><br>c<br></p><p>d", "a\n\nb\n\nc\n\nd"],
    ["<hr><p>a</p><hr><p>b</p><hr>", "a\n\n---\n\nb"],
    ["<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"],
    ["<blockquote>a<blockquote>b</blockquote></blockquote><p>c", "> a\n>\n> > b\n\nc"],
    ["<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"],
    ["<dl><dt>A<dd>b<dt>C<dd><p>d<p>e</dl>", "- **A**\n\n  b\n- **C**\n\n  d\n\n  e"],
    [
      "<dl><div><dt>A<dt>B<dd>c</div><dt>D<dd><dl><dt>E<dd>f</dl></dl>",
      "- **A**\n\n  **B**\n\n  c\n- **D**\n  - **E**\n\n    f",
    ],
    ["<dl><dt>A<dd><h3>b</h3><p>c</dl>", "**A**\n\n### b\n\nc"],
    ["<dl><p>a</p></dl><p>b", "a\n\nb"],
    ["<h2>C #</h2><h3>#</h3><h3>F#</h3><p>a", "## C \\#\n\n### \\#\n\n### F#\n\na"],
    ["<h2><ul><li>a</ul></h2>b", "## a\n\nb"],
    ["a<h2><br></h2>b<blockquote> </blockquote>c<ul><li> </ul>d", "a\n\nb\n\nc\n\nd"],
    ["<figure><pre>a</pre><figcaption>b</figcaption></figure>", "```\na\n```\n\nb"],
    ["<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b"],
    ["<p>a<details>b</details>c", "a\n\nb\n\nc"],
    ["<details><summary>More</summary><p>a</p></details>", "**More**\n\na"],
    ["<figure><img src=a.png alt=A><figcaption>b</figcaption></figure>", "![A](https://example.com/dir/a.png)\n\nb"],
    ["a &amp; b &eacute; &#x4e2d; &nbsp; c\u200b", "a & b é 中 c"],
    ["<p>a</p><script>b()</script><style>c{}</style><template>d</template><!-- e --><p>f", "a\n\nf"],
    ["<p>a <svg><title>b</title><text>c</text></svg> d</p>", "a d"],
    ["<p>a</p><p hidden>b</p><p style='display: none'>c</p><p aria-hidden=true>d</p>", "a"],
    ["plain text", "plain text"],
    ["<frameset><frame src=a><noframes><p>b</p></noframes></frameset>", "b"],
    ["", ""],
  ])("%j", (html, expected) => expect(markdown(html)).toBe(expected));
});

describe("lists", () => {
  test.each([
    ["<ul><li>a</li><li>b</li></ul>", "- a\n- b"],
    ["<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>", "- a\n  - b\n  - c\n- d"],
    ["<ol><li>a<li>b</ol>", "1. a\n2. b"],
    ["<ol start=9><li>a<li>b</ol>", "9. a\n10. b"],
    ["<ol><li>a<li value=5>b<li>c</ol>", "1. a\n\n5) b\n6) c"],
    ["<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c"],
    ["<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b"],
    ["<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b"],
    ["<ul><li>a<ul><li><ol start=3><li>b</ol></ul></ul>", "- a\n\n  - 3. b"],
    ["<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "- a\n  - b\n- c"],
    ["<ul>a <b>b</b><li>c</ul>", "- a **b**\n- c"],
    ["<ul><a href=/a><li>a</li></a><li>b</ul>", "- a\n- b"],
    ["<menu><li>a</menu><p>b<li>c</li><li>d</li>", "- a\n\nb\n\n- c\n- d"],
    ["<ul><li><hr>a</ul>", "- ___\n\n  a"],
    ["<ol><li>a<ol><li>b</ol><li>c</ol>", "1. a\n   1. b\n2. c"],
    ["<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>", "- a\n\n  b\n- c"],
    ["<ul><li>a<pre>b\n\nc</pre></li></ul>", "- a\n\n  ```\n  b\n\n  c\n  ```"],
    ["<ul>\n <li> </li>\n <li>a</li>\n</ul>", "- a"],
    ["<p>x</p><ul><li>a</ul><p>y</p>", "x\n\n- a\n\ny"],
    ["<ul><li><input type=checkbox checked> a<li><label><input type=checkbox> b</label></ul>", "- [x] a\n- [ ] b"],
    ["<ol start=-3><li>a</ol>", "1. a"],
  ])("%j", (html, expected) => expect(markdown(html)).toBe(expected));
});

describe("code", () => {
  test.each([
    ["<pre>a\n  b</pre>", "```\na\n  b\n```"],
    ["<pre>a\n\n\n\nb</pre>", "```\na\n\n\n\nb\n```"],
    ["<pre><code>a\n</code></pre>", "```\na\n```"],
    ['<pre><code class="language-js">a</code></pre>', "```js\na\n```"],
    ['<pre class="lang-py">a</pre>', "```py\na\n```"],
    ['<pre class="brush: ruby; gutter: false">a</pre>', "```ruby\na\n```"],
    ['<div class="highlight highlight-source-shell"><pre>a</pre></div>', "```shell\na\n```"],
    ['<div class="highlight-python notranslate"><div class="highlight"><pre>a</pre></div></div>', "```python\na\n```"],
    ['<pre><code class="language-none">a</code></pre>', "```\na\n```"],
    ["<pre>```\na\n```</pre>", "````\n```\na\n```\n````"],
    ["<pre>a<br>b <b>c</b> *d* &lt;e></pre>", "```\na\nb c *d* <e>\n```"],
    ["<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>", "```\na\nb\n```"],
    ["<p>a <code>b_c*</code> d</p>", "a `b_c*` d"],
    ["<p><code>a`b</code> <code>`c`</code></p>", "``a`b`` `` `c` ``"],
    ["<p>Press <kbd>Ctrl</kbd>+<kbd>C</kbd></p>", "Press `Ctrl`+`C`"],
    ["<p>a <code>b<br>\n  c<br/>&nbsp; d  e</code> f</p>", "a\n\n```\nb\nc\n  d e\n```\n\nf"],
    ["<pre><code>a<br><br>b</code></pre>", "```\na\n\nb\n```"],
    ["<table><tr><th>a<th>b<tr><td><code>c<br>d</code><td>e</table>", "| a | b |\n| --- | --- |\n| `c` `d` | e |"],
    ["<h2><code>a<br>b</code></h2>c", "## `a` `b`\n\nc"],
  ])("%j", (html, expected) => expect(markdown(html)).toBe(expected));
});

describe("words", () => {
  test.each([
    ["<p><b>a</b> <strong>b</strong> <i>c</i> <em>d</em></p>", "**a** **b** _c_ _d_"],
    ["<p>a<b> b </b>c</p>", "a **b** c"],
    ["<p><b></b><i> </i>a</p>", "a"],
    ["<p>这是<b>重要</b>的。<em>日本語</em>です</p>", "这是**重要**的。*日本語*です"],
    ["<p><b>重要。</b>的 <b>(a)</b>b <i>“a”</i>b", "<strong>重要。</strong>的 <strong>(a)</strong>b <em>“a”</em>b"],
    ["<p>a<i>b</i>c <b>a</b><b>b</b> <b>a <strong>b</strong></b> <i>a</i><b>b</b>", "a*b*c **ab** **a b** _a_**b**"],
    ["<b><p>a</p><p>b</p></b>", "**a**\n\n**b**"],
    ["<p><b>a<br></b>b", "**a**\\\nb"],
    ["<p><span>1</span><span>. a</span>", "1\\. a"],
    ["<p>a<br>=<br>:-:<br>--", "a\\\n\\=\\\n\\:-:\\\n\\--"],
    ["<p>HEAD~3..HEAD~2 ~a", "HEAD\\~3..HEAD\\~2 ~a"],
    ["<p><code>a</code><code>b</code> <code>a|b</code>", "`ab` `a|b`"],
    [
      "<p>https://a.example/_b_ https://a.example/c_d<br>www.a.example/~b/ e",
      "<https://a.example/_b>\\_ <https://a.example/c_d>\\\nwww\\.a.example/\\~b/ e",
    ],
    ["<p>Hello! [a]", "Hello! \\[a\\]"],
    ["<p><del>a</del> <s>b</s></p>", "~~a~~ ~~b~~"],
    ["<p>x<sup>2</sup> H<sub>2</sub>O</p>", "x<sup>2</sup> H<sub>2</sub>O"],
    ['<p>a<sup><a href="#n1">[1]</a></sup></p>', "a[\\[1\\]](https://example.com/dir/page#n1)"],
    ["<p><q>a</q></p>", "“a”"],
    [
      "<p>1. a</p><p>- b</p><p># c</p><p>+ d</p><p>> e</p><p>2) f</p>",
      "1\\. a\n\n\\- b\n\n\\# c\n\n\\+ d\n\n\\> e\n\n2\\) f",
    ],
    ["<p>a - b # c 1. d > e</p>", "a - b # c 1. d > e"],
    ["<p>*a* _b_ c_d_e 2 * 3 [f] `g` \\h</p>", "\\*a\\* \\_b\\_ c_d_e 2 * 3 \\[f\\] \\`g\\` \\\\h"],
    ["<p>&lt;div> a &lt; b &amp;copy; x&amp;y</p>", "\\<div> a < b \\&copy; x&y"],
    ["<p>--a</p><p>-</p><p>-1</p><p>+1 (2)</p>", "--a\n\n\\-\n\n-1\n\n+1 (2)"],
    ["<p>~~a~~ ~b</p><p>===</p><p>---</p>", "\\~\\~a\\~\\~ ~b\n\n\\===\n\n\\---"],
    ["<p>Look!<a href=a>b</a></p>", "Look\\![b](https://example.com/dir/a)"],
  ])("%j", (html, expected) => expect(markdown(html)).toBe(expected));
});

describe("links and images", () => {
  test.each([
    ["<p><a href=/a>b</a></p>", "[b](https://example.com/a)"],
    ["<base href=/x/><p><a href=a>b</a></p>", "[b](https://example.com/x/a)"],
    [
      "<p><a href='#a'>b</a> <a href='?c'>d</a></p>",
      "[b](https://example.com/dir/page#a) [d](https://example.com/dir/page?c)",
    ],
    ["<p><a href='//o.example/a b'>c</a></p>", "[c](https://o.example/a%20b)"],
    [
      "<p><a href='/a_(b)'>c</a> <a href='/a)'>d</a></p>",
      "[c](https://example.com/a_(b)) [d](https://example.com/a%29)",
    ],
    ["<p><a href=/a>[b]</a></p>", "[\\[b\\]](https://example.com/a)"],
    ["<p><a href=/a title='b \"c\"'>d</a></p>", '[d](https://example.com/a "b \\"c\\"")'],
    ["<p>a<a href=/b></a> <a href=/c> </a>d</p>", "a d"],
    ["<p><a name=x>a</a> <a href=''>b</a></p>", "a [b](https://example.com/dir/page)"],
    [
      "<p><a href='javascript:alert(1)'>a</a> <a href='JAVA\nSCRIPT:x'>b</a> <a href='data:text/html,x'>c</a></p>",
      "a b c",
    ],
    ["<p><a href='mailto:a@b.example'>c</a></p>", "[c](mailto:a@b.example)"],
    ["<p><a href=/a><b>b</b> <code>c</code></a></p>", "[**b** `c`](https://example.com/a)"],
    ["<a href=/a><h3>b</h3><p>c</p></a><p>d", "### [b](https://example.com/a)\n\n[c](https://example.com/a)\n\nd"],
    ["<p><a href=/a>b <a href=/c>d</a></a>", "[b](https://example.com/a) [d](https://example.com/c)"],
    ["<p><a href=/a>b<br><br>c</a>", "[b c](https://example.com/a)"],
    ["<p><code>a&lt;<a href=/b>c</a>></code>", "`a<`[`c`](https://example.com/b)`>`"],
    ["<p><a href='/a?b=1&amp;copy;=2'>c</a>", "[c](https://example.com/a?b=1&amp;copy;=2)"],
    ["<h2><a href=/a>b</a></h2>c", "## [b](https://example.com/a)\n\nc"],
    ["<p>a <img src=b.png> c</p>", "a ![](https://example.com/dir/b.png) c"],
    ["<p>a <img src=b.png alt='c [d]' title=e></p>", 'a ![c \\[d\\]](https://example.com/dir/b.png "e")'],
    ["<p>a <img alt=b> <img src='data:image/png;base64,xx'></p>", "a"],
    ["<p>a <img src='data:image/gif;base64,xx' data-src=/b.jpg></p>", "a ![](https://example.com/b.jpg)"],
    ["<p>a <img srcset='/b.jpg 1x, /c.jpg 2x'></p>", "a ![](https://example.com/c.jpg)"],
    ["<p>a <img src=/b.jpg srcset='/c.jpg 300w, /d.jpg 1200w, /e.jpg 600w'></p>", "a ![](https://example.com/d.jpg)"],
    ["<p>a <img src=/b.jpg srcset='/c,d.jpg 2x, /e.jpg'></p>", "a ![](https://example.com/c,d.jpg)"],
    ["<p>a <img src=/b.jpg data-srcset='/c.jpg 2x'></p>", "a ![](https://example.com/c.jpg)"],
    [
      "<p><picture><source srcset='/b.webp 1x, /c.webp 3x'><img alt=d></picture></p>",
      "![d](https://example.com/c.webp)",
    ],
    ["<p>a <img src=/pixel.gif width=1 height=1></p>", "a"],
    ["<p><a href=/a><img src=/b.png alt=c></a></p>", "[![c](https://example.com/b.png)](https://example.com/a)"],
  ])("%j", (html, expected) => expect(markdown(html)).toBe(expected));
});

describe("tables", () => {
  test.each([
    [
      "<table><thead><tr><th>a<th>b</thead><tbody><tr><td>c<td>d<tr><td>e<td></tbody></table>",
      "| a | b |\n| --- | --- |\n| c | d |\n| e | |",
    ],
    ["<table><tr><th>a<th>b<tr><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| c | d |"],
    ["<table><tr><td>a<td>b<tr><td>c<td>d</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"],
    [
      "<table><tr><th>a<th align=right>b<th style='text-align:center'>c<tr><td>d<td>e<td>f</table>",
      "| a | b | c |\n| --- | ---: | :---: |\n| d | e | f |",
    ],
    ["<table><tr><th>a<th>b<tr><td>c|d<td><code>e|f</code></table>", "| a | b |\n| --- | --- |\n| c\\|d | `e\\|f` |"],
    ["<table><tr><th colspan=2>a<tr><td>b<td>c</table>", "| a | |\n| --- | --- |\n| b | c |"],
    [
      "<table><tr><th>a<th colspan=2>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f<td>g</table>",
      "| a | b | b |\n| --- | --- | --- |\n| c | d | e |\n| c | f | g |",
    ],
    [
      "<table><tr><th rowspan=2>a<th>b<tr><th>c<tr><td>d<td rowspan=0>e<tr><td>f<tr><td>g</table>",
      "| a | b |\n| --- | --- |\n| a | c |\n| d | e |\n| f | e |\n| g | e |",
    ],
    [
      "<table><tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td rowspan=9>f</table>",
      "|  |  |  |\n| --- | --- | --- |\n| a | a | b |\n| a | a | c |\n| d | e | f |",
    ],
    [
      "<table><thead><tr><th>a<th>b<th>c</thead><tr><td rowspan=2>d<td>e<td>f<tr><td>g</td></tr><tbody><tr><td>h</table>",
      "| a | b | c |\n| --- | --- | --- |\n| d | e | f |\n| d | g | |\n| h | | |",
    ],
    ["<table><tr><th>a<tr><td>b<tr><td>c</table>", "| a |\n| --- |\n| b |\n| c |"],
    ["<table><tr><td>a<tr><td>b</table>", "|  |\n| --- |\n| a |\n| b |"],
    ["<table><tr><td><p>a</p><tr><td><p>b</p></table>", "a\n\nb"],
    ["<table><tr><th>a<tr><td><table><tr><td>b</table></table>", "a\n\nb"],
    ["<table><tr><th>a<th>b<tr><td><h2>c</h2><td>d</table>", "a\n\nb\n\n## c\n\nd"],
    [
      "<table><tr><th>a<th>b<tr><td>c<td><pre>d\n\n  e</pre></table>",
      "<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td><pre>d&#10;\n  e</pre></td></tr></table>",
    ],
    [
      "<table><tr><td>a<td><pre>b</pre><tr><td>c<td><pre>d</pre></table>",
      "<table><tr><td>a</td><td><pre>b</pre></td></tr><tr><td>c</td><td><pre>d</pre></td></tr></table>",
    ],
    [
      "<ul><li>x<table><tr><th>a<th>b<tr><td>c<td><table><tr><th>d<th>e<tr><td>f<td>g</table></table></ul>",
      "- x\n\n  <table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td><table><tr><th>d</th><th>e</th></tr><tr><td>f</td><td>g</td></tr></table></td></tr></table>",
    ],
    [
      "<table><tr><th>a<td><table><tr><th>b<th>c<tr><td>d<td>e</table><tr><th>f<td>g</table>",
      "<table><tr><th>a</th><td><table><tr><th>b</th><th>c</th></tr><tr><td>d</td><td>e</td></tr></table></td></tr><tr><th>f</th><td>g</td></tr></table>",
    ],
    ["<table><tr><td><pre>1\n2</pre><td><pre>a\nb</pre></table>", "```\n1\n2\n```\n\n```\na\nb\n```"],
    [
      "<table><tr><th>a<th>b<tr><td><p>c</p><p>d</p><td><ul><li>e<li>f</ul></table>",
      "| a | b |\n| --- | --- |\n| c d | <ul><li>e</li><li>f</li></ul> |",
    ],
    [
      "<table><caption>A  b</caption><tr><th>c<th>d<tr><td>e<td>f</table>",
      "A b\n\n| c | d |\n| --- | --- |\n| e | f |",
    ],
    [
      "<table><tr><th>a<th>b<tr><td>c\\|d<td><code>e\\|f</code><ol start=2><li>g</ol></table>",
      '| a | b |\n| --- | --- |\n| c\\\\\\|d | <code>e\\\\&#124;f</code><ol start="2"><li>g</li></ol> |',
    ],
    [
      "<table><caption>*A*</caption><tr><th>c<th>d<tr><td>e<td>f</table>",
      "\\*A\\*\n\n| c | d |\n| --- | --- |\n| e | f |",
    ],
    ["<p>x</p><table><tr><td><p>a</p><h2>b</h2></td><td><p>c</p></td></tr></table>", "x\n\na\n\n## b\n\nc"],
    ["<table><tr><td>a</td></tr></table>", "a"],
    [
      "<table><tr><th>a<th>b<tr><td>c<br>d<td><a href=/e>f</a></table>",
      "| a | b |\n| --- | --- |\n| c d | [f](https://example.com/e) |",
    ],
    [
      "<table><colgroup><col><col></colgroup><tr><th>a<th>b<tr><td>c<td>d</table>",
      "| a | b |\n| --- | --- |\n| c | d |",
    ],
  ])("%j", (html, expected) => expect(markdown(html)).toBe(expected));
});

describe("footnotes", () => {
  const PAGE = "https://example.com/dir/page";
  test.each([
    [
      '<p>a<sup id=r1><a href="#n1">1</a></sup></p><hr><ol><li id=n1><p>b <a href="#r1">↩</a></p><pre>c</pre></li></ol>',
      "a[^1]\n\n---\n\n[^1]: b\n\n    ```\n    c\n    ```",
    ],
    [
      '<p>a<a id=r1 href="#n1">[*]</a> b<a id=r2 href="#n1">[*]</a><p id=n1><a href="#r1">^</a> <a href="#r2">^</a> c d</p><p>e',
      "a[^1] b[^1]\n\n[^1]: c d\n\ne",
    ],
    [
      '<p>a <a class=footnote-reference href="#n" id=r>[<span>2</span>]</a></p><div id=n><span>[<a href="#r">2</a>]</span><p>b</div>',
      "a [^2]\n\n[^2]: b",
    ],
    [
      '<p>a<sup><a href="#n1" name=r1>1</a></sup></p><dl><dt id=n1><a href="#r1">1</a></dt><dd>b</dd></dl>',
      "a[^1]\n\n[^1]: b",
    ],
    // Neither is a footnote: one leads to a heading, and one does not lead back.
    ['<p><a id=r href="#h">1</a></p><h2 id=h><a href="#r">A</a></h2><p>b', `[1](${PAGE}#h)\n\n## [A](${PAGE}#r)\n\nb`],
    ['<p>a<sup><a id=r href="#n">1</a></sup></p><p id=n>b', `a[1](${PAGE}#n)\n\nb`],
  ])("%j", (html, expected) => expect(markdown(html)).toBe(expected));
});

describe("mathematics", () => {
  test.each([
    [
      '<p>a <math alttext="{\\displaystyle x_{1}^2}"><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup></math> b</p>',
      "a $x_{1}^2$ b",
    ],
    [
      "<p><math><semantics><mi>x</mi><annotation encoding=application/x-tex>\\alpha_1 * 50\\%</annotation></semantics></math></p>",
      "$\\alpha_1 * 50\\%$",
    ],
    [
      "<p><math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mfrac><mn>1</mn><mrow><mi>n</mi><mo>−</mo><mn>1</mn></mrow></mfrac></math></p>",
      "$x^{2}+\\frac{1}{n-1}$",
    ],
    [
      "<p><math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover><mi>i</mi><mo>≤</mo><msqrt><mi>sin</mi><mi>b</mi></msqrt></math></p>",
      "$\\sum_{i=0}^{n}i\\le\\sqrt{\\sin b}$",
    ],
    [
      "<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable></math>",
      "$\\begin{matrix}1 & 0 \\\\ 0 & 1\\end{matrix}$",
    ],
    ["<p>a</p><math display=block><mi>x</mi><mo>=</mo><mn>1</mn></math><p>b</p>", "a\n\n$$\nx=1\n$$\n\nb"],
    ["<p>a</p><math display=block><mo>-</mo><mi>x</mi></math><p>b</p>", "a\n\n$$-x$$\n\nb"],
    ["<p>a <script type=math/tex>x_1 < *y*</script> b</p>", "a $x_1 < *y*$ b"],
    ["<p>a <span class=MathJax_Preview>x2</span><script type=math/tex>x^2</script> b</p>", "a $x^2$ b"],
    ['<p>a</p><script type="math/tex; mode=display">\n x\n = 1\n</script><p>b', "a\n\n$$\nx = 1\n$$\n\nb"],
    [
      "<p>a <span style='display: none'><math><mi>x</mi></math></span><img class=mwe-math-fallback-image-inline aria-hidden=true src=b.svg alt='{\\displaystyle x}'></p>",
      "a $x$",
    ],
    [
      "<p><span class=katex><span class=katex-mathml><math><semantics><mi>x</mi><annotation encoding=application/x-tex>x</annotation></semantics></math></span><span class=katex-html aria-hidden=true>x</span></span>",
      "$x$",
    ],
    ["<p>a <math></math><script type=math/tex> </script>b</p>", "a b"],
    ["<p>It costs $5 or $6, not <math><mi>x</mi></math>.<p>$7", "It costs \\$5 or \\$6, not $x$.\n\n\\$7"],
    ["<p>It costs $5 or $6", "It costs $5 or $6"],
    ["<p><math><mrow><math><mo>{</mo></math></mrow><mi>x</mi></math></p>", "$\\{x$"],
    ["<p><math><mi>constructor</mi><mo>toString</mo></math></p>", "$\\mathrm{constructor}toString$"],
  ])("%j", (html, expected) => expect(markdown(html)).toBe(expected));

  test("is the same in text and HTML", () => {
    const { html, text } = contentOf("<p>a <math><msup><mi>x</mi><mn>2</mn></msup></math></p>", ["html", "text"]);
    expect({ html, text }).toEqual({ html: "<p>a $x^{2}$</p>", text: "a $x^{2}$" });
  });
});

test("a table's text has each cell in its column", () => {
  const { text } = contentOf(
    "<table><caption>A</caption><tr><th>a<th colspan=2>b<tr><td rowspan=2>c<td>d<br>d<td><p>e</p><p>e</p><tr><td><td>g</table>",
    ["text"],
  );
  expect(text).toBe("A\na\tb\tb\nc\td d\te e\nc\t\tg");
});
