/**
 * A page with a little of everything that pages hold, for `keepShapesOf`. It has enough prose to count as an article.
 */

const PROSE =
  "A crawler asks for a page, reads what it says, and follows the links that it finds on it, one host after the other, as politely as a guest.";

export const SAMPLE_URL = "https://sample.example/notes/page.html?a=1";

export const SAMPLE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="description" content="A sample.">
<meta property="og:title" content="A sample"><meta name="author" content="Somebody">
<title>A sample &amp; more - Sample site</title>
<link rel="stylesheet" href="/style.css"><link rel="canonical" href="page.html">
<style>body { margin: 0 }</style>
<script>var a = "<b>";</script>
<script type="application/ld+json">{"@type": "Article", "headline": "A sample", "datePublished": "2026-01-02"}</script>
</head>
<body class="page">
<!-- A comment -->
<header id="top" class="site-header"><a href="/"><img src="/logo.png" alt="Logo" width="10" height="10"></a>
<nav class="menu"><ul><li><a href="/a">A</a></li><li><a href="b?x=1#f" rel="nofollow">B</a></li><li><a href="mailto:a@b.example">C</a></li></ul></nav></header>
<main><article class="post"><h1>A sample</h1><p class="byline">By <a href="/who">Somebody</a>, <time datetime="2026-01-02">today</time></p>
${Array.from({ length: 6 }, (_, i) => `<p>${PROSE} <em>Number</em> <strong>${i}</strong>, <a href="/p/${i}.html">page ${i}</a>, and <code>code_${i}</code>.</p>`).join("\n")}
<h2 id="more">More</h2>
<ul><li>One <b>thing</b></li><li>Another <i>thing</i><ol><li>inside</li></ol></li></ul>
<blockquote><p>${PROSE}</p></blockquote>
<pre><code class="language-js">const a = 1;
</code></pre>
<figure><img src="a.jpg" srcset="a.jpg 1x, b.jpg 2x" alt="A"><figcaption>A figure</figcaption></figure>
<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody></table>
<dl><dt>Term</dt><dd>Meaning<br>of it</dd></dl><hr>
<div><div><span>${PROSE}</span></div></div>
</article></main>
<aside class="sidebar"><h3>Related</h3><p><a href="https://other.example/">Other</a></p></aside>
<section class="comments"><div class="comment"><p>${PROSE}</p></div></section>
<form action="/search"><input type="text" name="q"><select><option value="1">1</option></select><textarea></textarea><button>Go</button></form>
<svg width="1"><path d="M0 0"/></svg><iframe src="/frame"></iframe><noscript><img src="/n.gif" alt=""></noscript>
<footer><p>The end &copy; 2026 <a href="/imprint">Imprint</a></p></footer>
</body>
</html>
`;
