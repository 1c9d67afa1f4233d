/**
 * Pages as programs for manuals write them, in their versions and themes. All have the same content. "Xenolith" stands
 * in their navigation alone.
 */

const OTHERS = ["Xenolith basics", "Xenolith tuning", "Xenolith glossary", "The Xenolith family"];
const links = (write: (text: string, href: string) => string) =>
  OTHERS.map((text, at) => write(text, `other-${at}.html`)).join("\n");
const ITEMS = links((text, href) => `<li><a href="${href}">${text}</a></li>`);
/** The entries of "On this page": the sections. */
const OWN = [
  ["preparing", "Preparing the loom"],
  ["warp-options", "Options of the warp"],
] as const;
const OWN_ITEMS = OWN.map(([id, text]) => `<li><a href="#${id}">${text}</a></li>`).join("\n");

export const TITLE = "Weaving with two shuttles";
export const HEADINGS = [TITLE, ...OWN.map(([, text]) => text)];
export const SENTENCES = [
  "A loom with two shuttles weaves faster, and it needs a warp that is tighter than usual.",
  "Before the first row is woven, the tension of each thread has to be measured, from left to right.",
  "It takes one of these values:",
  "Threads of silk may tear if they are dry.",
  "The program reads its options from a file, which is written when it ends.",
  "Read more about them:",
];
/** Links that are content: a list of values that the page explains, and pages to read. */
export const LINKED = ["WARP_TIGHT", "WARP_LOOSE", "Dyeing of silk", "History of the shuttle"];
export const CODE = "loom --shuttles 2 \\\n  --warp tight";
export const CELLS = ["--warp", "how tight the warp is", "--weft", "the colour of the weft"];

interface Style {
  h1?: string;
  h2?: (id: string, text: string) => string;
  note?: (text: string) => string;
}

const plainHeading = (id: string, text: string) => `<h2 id="${id}">${text}</h2>`;
const plainNote = (text: string) => `<div class="note"><p>${text}</p></div>`;

function content({ h1 = `<h1>${TITLE}</h1>`, h2 = plainHeading, note = plainNote }: Style = {}): string {
  const [setup, options] = OWN;
  return `${h1}
<p>${SENTENCES[0]}</p>
${h2(...setup)}
<p>${SENTENCES[1]} ${SENTENCES[2]}</p>
<ul><li><a href="#WARP_TIGHT"><code>WARP_TIGHT</code></a></li><li><a href="#WARP_LOOSE"><code>WARP_LOOSE</code></a></li></ul>
${note(SENTENCES[3] ?? "")}
<div class="highlight"><pre>${CODE}</pre></div>
${h2(...options)}
<p>${SENTENCES[4]}</p>
<table><thead><tr><th>Option</th><th>Meaning</th></tr></thead><tbody>
<tr><td>${CELLS[0]}</td><td>${CELLS[1]}</td></tr><tr><td>${CELLS[2]}</td><td>${CELLS[3]}</td></tr></tbody></table>
<dl><dt id="WARP_TIGHT">WARP_TIGHT</dt><dd><p>for silk</p></dd><dt id="WARP_LOOSE">WARP_LOOSE</dt><dd><p>for wool</p></dd></dl>
<p>${SENTENCES[5]}</p>
<ul><li><a href="silk.html">Dyeing of silk</a></li><li><a href="history.html">History of the shuttle</a></li></ul>`;
}

function page(generator: string | null, body: string, head = ""): string {
  const meta = generator === null ? "" : `<meta name="generator" content="${generator}">`;
  return `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${TITLE} — Looms</title>${meta}${head}</head>\n${body.startsWith("<body") ? body : `<body>\n${body}\n</body>`}</html>`;
}

const docbookNote = (text: string) =>
  `<div class="note" style="margin-left: 0.5in; margin-right: 0.5in;"><h3 class="title">Note</h3><p>${text}</p></div>`;
const docbookTitle = `<div class="titlepage"><div><div><h1 class="title"><a id="chapter"></a>${TITLE}</h1></div></div><div></div></div>`;
const docbookSection = (id: string, text: string) =>
  `<div class="titlepage"><div><div><h2 class="title" style="clear: both"><a id="${id}"></a>${text}</h2></div></div></div>`;
const docbookContents = `<div class="toc"><p><b>Table of Contents</b></p><dl class="toc">${OWN.map(([id, text]) => `<dt><span class="sect1"><a href="#${id}">${text}</a></span></dt>`).join("")}</dl></div>`;
const docbookBar = (where: "header" | "footer") => `<div class="nav${where}"><table width="100%" summary="Navigation">
<tr><td width="20%" align="left"><a accesskey="p" href="other-0.html">Prev</a> </td><th width="60%" align="center">Xenolith, part one</th><td width="20%" align="right"> <a accesskey="n" href="other-1.html">Next</a></td></tr>
<tr><td>Xenolith basics </td><td><a accesskey="h" href="index.html">Home</a></td><td> Xenolith tuning</td></tr></table><hr></div>`;

const sphinxHeading = (id: string, text: string) =>
  `<h2 id="${id}">${text}<a class="headerlink" href="#${id}" title="Permalink to this heading">¶</a></h2>`;
const sphinxNote = (text: string) =>
  `<div class="admonition note"><p class="admonition-title">Note</p><p>${text}</p></div>`;
const SPHINX: Style = {
  h1: `<h1>${TITLE}<a class="headerlink" href="#top" title="Permalink to this heading">¶</a></h1>`,
  h2: sphinxHeading,
  note: sphinxNote,
};
const relatedBar = (attributes: string) => `<div class="related"${attributes}><h3>Navigation</h3><ul>
<li class="right" style="margin-right: 10px"><a href="genindex.html" title="General Index" accesskey="I">index</a></li>
<li class="right"><a href="other-1.html" title="Xenolith tuning" accesskey="N">next</a> |</li>
<li class="right"><a href="other-0.html" title="Xenolith basics" accesskey="P">previous</a> |</li>
<li class="nav-item nav-item-0"><a href="index.html">Xenolith 1.0 documentation</a> &#187;</li></ul></div>`;
const sphinxSidebar = (
  attributes: string,
) => `<div class="sphinxsidebar"${attributes}><div class="sphinxsidebarwrapper">
<h3><a href="index.html">Table of Contents</a></h3><ul><li><a class="reference internal" href="#">${TITLE}</a><ul>${OWN_ITEMS}</ul></li></ul>
<h4>Previous topic</h4><p class="topless"><a href="other-0.html" title="previous chapter">Xenolith basics</a></p>
<h4>Next topic</h4><p class="topless"><a href="other-1.html" title="next chapter">Xenolith tuning</a></p>
<h3>This Page</h3><ul class="this-page-menu"><li><a href="_sources/page.txt" rel="nofollow">Show Source</a></li></ul>
<div id="searchbox" style="display: none"><h3>Quick search</h3><form class="search" action="search.html"><input type="text" name="q"><input type="submit" value="Go"></form></div>
</div></div>`;
const SPHINX_HEAD = `<link rel="index" title="Index" href="genindex.html"><link rel="search" title="Search" href="search.html"><link rel="next" title="Xenolith tuning" href="other-1.html">`;

const doxygenTop = `<div id="top"><!-- do not remove this div, it is closed by doxygen! -->
<div id="titlearea"><table cellspacing="0" cellpadding="0"><tbody><tr id="projectrow"><td id="projectalign"><div id="projectname">Looms<span id="projectnumber">&#160;2.1</span></div></td></tr></tbody></table></div>
<div id="main-nav"><ul class="sm sm-dox"><li><a href="index.html">Main&#160;Page</a></li><li><a href="pages.html">Xenolith&#160;Pages</a></li></ul></div>`;
const doxygenPath = `<div id="nav-path" class="navpath"><ul><li class="navelem"><a class="el" href="other-0.html">Xenolith</a></li><li class="navelem"><a class="el" href="other-1.html">XenolithLoom</a></li></ul></div>`;
const doxygenHeader = `<div class="header"><div class="summary">${OWN.map(([id, text]) => `<a href="#${id}">${text}</a>`).join(" &#124;\n")} &#124; <a href="xenolith-members.html">List of all members</a></div><div class="headertitle"><div class="title">${TITLE}</div></div></div><!--header-->`;
const DOXYGEN: Style = {
  h1: "",
  h2: (id, text) => `<h2 class="groupheader"><a name="${id}" id="${id}"></a>\n${text}</h2>`,
  note: (text) => `<dl class="section note"><dt>Note</dt><dd>${text}</dd></dl>`,
};

const javadocBar = (
  side: "top" | "bottom",
) => `<div class="${side}Nav"><a name="navbar.${side}"><!--   --></a><div class="skipNav"><a href="#skip.navbar.${side}" title="Skip navigation links">Skip navigation links</a></div>
<ul class="navList" title="Navigation"><li><a href="overview-summary.html">Overview</a></li><li><a href="package-summary.html">Xenolith</a></li><li class="navBarCell1Rev">Class</li><li><a href="index-all.html">Index</a></li><li><a href="help-doc.html">Help</a></li></ul></div>
<div class="subNav"><ul class="navList"><li>Prev&nbsp;Class</li><li><a href="other-1.html"><span class="typeNameLink">Next&nbsp;Class</span></a></li></ul>
<ul class="navList"><li><a href="index.html" target="_top">Frames</a></li><li><a href="page" target="_top">No&nbsp;Frames</a></li></ul><ul class="navList" id="allclasses_navbar_${side}"><li><a href="allclasses-noframe.html">All&nbsp;Classes</a></li></ul>
<div><ul class="subNavList"><li>Summary:&nbsp;</li><li>Nested&nbsp;|&nbsp;</li><li><a href="#preparing">Constr</a>&nbsp;|&nbsp;</li><li>Method</li></ul></div><a name="skip.navbar.${side}"><!--   --></a></div>`;

const asciidoctorNote = (text: string) =>
  `<div class="admonitionblock note"><table><tr><td class="icon"><div class="title">Note</div></td><td class="content">${text}</td></tr></table></div>`;
const asciidoctorContents = (name: string) =>
  `<div id="toc" class="${name}"><div id="toctitle">Table of Contents</div><ul class="sectlevel1">${OWN_ITEMS}</ul></div>`;
const asciidoctor = (name: string, at: "header" | "preamble") =>
  page(
    "Asciidoctor 2.0.18",
    `<body class="article ${name} toc-left"><div id="header"><h1>${TITLE}</h1>${at === "header" ? asciidoctorContents(name) : ""}</div>
<div id="content"><div id="preamble"><div class="sectionbody"></div>${at === "preamble" ? asciidoctorContents(name) : ""}</div><div class="sect1">${content({ h1: "", note: asciidoctorNote })}</div></div>
<div id="footer"><div id="footer-text">Last updated 2024-05-31 00:35:55 UTC</div></div></body>`,
  );

const docusaurusNote = (text: string) =>
  `<div class="admonition admonition-note alert alert--secondary"><div class="admonition-heading"><h5><span class="admonition-icon"></span>note</h5></div><div class="admonition-content"><p>${text}</p></div></div>`;
const docusaurusHeading = (id: string, text: string) =>
  `<h2 class="anchor anchorWithStickyNavbar_LWe7" id="${id}">${text}<a href="#${id}" class="hash-link" aria-label="Direct link to ${text}">​</a></h2>`;
const docusaurus = (version: string, sidebar: string, note: (text: string) => string) =>
  page(
    `Docusaurus v${version}`,
    `<div id="__docusaurus"><div role="region" aria-label="Skip to main content"><a class="skipToContent_fXgn" href="#main">Skip to main content</a></div>
<nav class="navbar navbar--fixed-top"><div class="navbar__inner"><a class="navbar__brand" href="/"><b>Xenolith</b></a><a class="navbar__item navbar__link" href="/docs">Xenolith docs</a></div></nav>
<div class="main-wrapper docsWrapper"><div class="docRoot">${sidebar}
<main class="docMainContainer_TBSr"><div class="container padding-top--md"><div class="row"><div class="col docItemCol_VOVn"><div class="docItemContainer_Djhp"><article>
<nav class="theme-doc-breadcrumbs" aria-label="Breadcrumbs"><ul class="breadcrumbs"><li class="breadcrumbs__item"><a class="breadcrumbs__link" href="/">Xenolith</a></li></ul></nav>
<div class="tocCollapsible_ETCw theme-doc-toc-mobile"><button type="button" class="clean-btn tocCollapsibleButton_TO0P">On this page</button></div>
<div class="theme-doc-markdown markdown">${content({ h1: `<header><h1>${TITLE}</h1></header>`, h2: docusaurusHeading, note })}</div>
<footer class="theme-doc-footer docusaurus-mt-lg"><a href="https://example.com/edit" class="theme-edit-this-page">Edit this page of Xenolith</a></footer></article>
<nav class="pagination-nav docusaurus-mt-lg" aria-label="Docs pages"><a class="pagination-nav__link pagination-nav__link--prev" href="/0"><div class="pagination-nav__sublabel">Previous</div><div class="pagination-nav__label">Xenolith basics</div></a><a class="pagination-nav__link pagination-nav__link--next" href="/1"><div class="pagination-nav__sublabel">Next</div><div class="pagination-nav__label">Xenolith tuning</div></a></nav></div></div>
<div class="col col--3"><div class="tableOfContents_bqdL thin-scrollbar theme-doc-toc-desktop"><ul class="table-of-contents table-of-contents__left-border">${OWN_ITEMS}</ul></div></div></div></div></main></div></div>
<footer class="footer footer--dark"><div class="container">Xenolith © 2024</div></footer></div>`,
  );

const gitbook = (summary: string) =>
  page(
    "GitBook 3.2.3",
    `<div class="book"><div class="book-summary">${summary}</div><div class="book-body"><div class="body-inner">
<div class="book-header" role="navigation"><h1><i class="fa fa-circle-o-notch fa-spin"></i><a href=".">Xenolith</a></h1></div>
<div class="page-wrapper" tabindex="-1" role="main"><div class="page-inner"><div id="book-search-results"><div class="search-noresults"><section class="normal markdown-section">${content()}</section></div></div></div></div></div>
<a href="other-0.html" class="navigation navigation-prev" aria-label="Previous page: Xenolith basics"><i class="fa fa-angle-left"></i></a><a href="other-1.html" class="navigation navigation-next" aria-label="Next page: Xenolith tuning"><i class="fa fa-angle-right"></i></a></div></div>`,
    `<link rel="next" href="other-1.html"><link rel="prev" href="other-0.html">`,
  );
const gitbookItems = `<li class="chapter" data-level="1.1"><a href="./">Xenolith introduction</a></li><li class="header">Xenolith, part one</li>${links((text, href) => `<li class="chapter" data-level="1.2"><a href="${href}">${text}</a></li>`)}<li class="divider"></li><li><a href="https://www.gitbook.com" target="blank" class="gitbook-link">Published with GitBook</a></li>`;

const vitepressItems = links(
  (text, href) =>
    `<div class="VPSidebarItem level-1 is-link"><div class="item"><div class="indicator"></div><a class="VPLink link link" href="${href}"><p class="text">${text}</p></a></div></div>`,
);
const vitepress = (tag: string, outline: string) =>
  page(
    "VitePress v1.6.3",
    `<div id="app"><div class="Layout"><span tabindex="-1"></span><a href="#VPContent" class="VPSkipLink visually-hidden">Skip to content</a>
<header class="VPNav"><div class="VPNavBar has-sidebar"><a class="title" href="/"><span>Xenolith</span></a></div></header>
<div class="VPLocalNav has-sidebar empty"><div class="container"><button class="menu"><span class="menu-text">Menu</span></button><div class="VPLocalNavOutlineDropdown"><button>Return to top</button></div></div></div>
<${tag} class="VPSidebar"><div class="curtain"></div><${tag === "aside" ? "nav" : "div"} class="nav" id="VPSidebarNav"><span class="visually-hidden" id="sidebar-aria-label">Sidebar Navigation</span><div class="group"><section class="VPSidebarItem level-0"><div class="item" role="button"><h2 class="text">Xenolith guide</h2></div><div class="items">${vitepressItems}</div></section></div></${tag === "aside" ? "nav" : "div"}></${tag}>
<div class="VPContent has-sidebar" id="VPContent"><div class="VPDoc has-sidebar has-aside"><div class="container"><div class="aside"><div class="aside-curtain"></div><div class="aside-container"><div class="aside-content"><div class="VPDocAside">${outline}</div></div></div></div>
<div class="content"><div class="content-container"><main class="main"><div style="position:relative;" class="vp-doc _guide"><div>${content({ h2: (id, text) => `<h2 id="${id}" tabindex="-1">${text} <a class="header-anchor" href="#${id}" aria-label="Permalink to &quot;${text}&quot;">​</a></h2>`, note: (text) => `<div class="tip custom-block"><p class="custom-block-title">TIP</p><p>${text}</p></div>` })}</div></div></main>
<footer class="VPDocFooter"><div class="edit-info"><a class="VPLink link" href="https://example.com/edit">Edit this page</a></div><nav class="prev-next"><div class="pager"><a class="VPLink link pager-link prev" href="other-0.html"><span class="desc">Previous page</span><span class="title">Xenolith basics</span></a></div></nav></footer></div></div></div></div></div></div></div>`,
  );

const hugoBook = page(
  "Hugo 0.111.3",
  `<body dir="ltr"><input type="checkbox" class="hidden toggle" id="menu-control"><main class="container flex"><aside class="book-menu"><div class="book-menu-content"><nav><h2 class="book-brand"><a class="flex align-center" href="/"><span>Xenolith</span></a></h2><ul>${ITEMS}</ul></nav></div></aside>
<div class="book-page"><header class="book-header"><div class="flex align-center justify-between"><label for="menu-control"><img src="/svg/menu.svg" class="book-icon" alt="Menu"></label><strong>${TITLE}</strong></div><aside class="hidden clearfix"><nav id="TableOfContents"><ul>${OWN_ITEMS}</ul></nav></aside></header>
<article class="markdown book-article">${content({ note: (text) => `<blockquote class="book-hint info"><p>${text}</p></blockquote>` })}</article>
<footer class="book-footer"><div class="flex flex-wrap justify-between"></div></footer></div>
<aside class="book-toc"><div class="book-toc-content"><nav id="TableOfContents"><ul>${OWN_ITEMS}</ul></nav></div></aside></main></body>`,
);
const docsy = page(
  "Hugo 0.143.1",
  `<body class="td-page"><header><nav class="td-navbar js-navbar-scroll"><a class="navbar-brand" href="/"><span>Xenolith</span></a><ul class="navbar-nav">${ITEMS}</ul></nav></header>
<div class="container-fluid td-outer"><div class="td-main"><div class="row flex-xl-nowrap"><aside class="col-12 col-md-3 col-xl-2 td-sidebar d-print-none"><div id="td-sidebar-menu" class="td-sidebar__inner"><nav class="td-sidebar-nav" id="td-section-nav"><ul class="td-sidebar-nav__section">${ITEMS}</ul></nav></div></aside>
<aside class="d-none d-xl-block col-xl-2 td-sidebar-toc d-print-none"><div class="td-page-meta"><a href="/edit" class="td-page-meta--edit">Edit this page</a></div><div class="td-toc"><nav id="TableOfContents"><ul>${OWN_ITEMS}</ul></nav></div></aside>
<main class="col-12 col-md-9 col-xl-8 ps-md-5" role="main"><nav aria-label="breadcrumb" class="td-breadcrumbs"><ol class="breadcrumb"><li class="breadcrumb-item"><a href="/docs/">Xenolith</a></li></ol></nav>
<div class="td-content">${content({ note: (text) => `<div class="alert alert-info" role="alert"><h4 class="alert-heading">Note</h4><p>${text}</p></div>` })}</div></main></div></div></div></body>`,
);
const justTheDocs = (sidebar: string) =>
  page(
    "Jekyll v4.3.1",
    `<a class="skip-to-main" href="#main-content">Skip to main content</a>${sidebar}
<div class="main" id="top"><div id="main-header" class="main-header"><div class="search" role="search"><input type="text" placeholder="Search"></div><nav aria-label="Auxiliary" class="aux-nav"><ul class="aux-nav-list"><li><a href="//example.com">Xenolith on GitHub</a></li></ul></nav></div>
<div class="main-content-wrap"><nav aria-label="Breadcrumb" class="breadcrumb-nav"><ol class="breadcrumb-nav-list"><li><a href="/docs/">Xenolith</a></li></ol></nav>
<div id="main-content" class="main-content"><main>${content({ h1: `<h1 class="no_toc" id="title">${TITLE}</h1><details open><summary class="text-delta">Table of contents</summary><ol id="markdown-toc">${OWN_ITEMS}</ol></details>`, h2: (id, text) => `<h2 id="${id}"><a href="#${id}" class="anchor-heading" aria-labelledby="${id}"></a> ${text}</h2>`, note: (text) => `<p class="note">${text}</p>` })}</main>
<hr><footer><p><a href="#top" id="back-to-top">Back to top</a></p></footer></div></div></div>`,
  );

const mkdocs = page(
  null,
  `<div class="navbar fixed-top navbar-expand-lg navbar-dark bg-primary"><div class="container"><a class="navbar-brand" href="..">Xenolith</a><button type="button" class="navbar-toggler"></button>
<div id="navbar-collapse" class="navbar-collapse collapse"><ul class="nav navbar-nav">${ITEMS}</ul><ul class="nav navbar-nav ml-auto"><li class="nav-item"><a href="#" class="nav-link"><i class="fa fa-search"></i> Search</a></li><li class="nav-item"><a rel="prev" href="other-0.html" class="nav-link"><i class="fa fa-arrow-left"></i> Previous</a></li><li class="nav-item"><a rel="next" href="other-1.html" class="nav-link">Next <i class="fa fa-arrow-right"></i></a></li></ul></div></div></div>
<div class="container"><div class="row"><div class="col-md-3"><div class="navbar-light navbar-expand-md bs-sidebar hidden-print affix" role="complementary"><div id="toc-collapse" class="navbar-collapse collapse card bg-light"><ul class="nav flex-column">${OWN_ITEMS}</ul></div></div></div>
<div class="col-md-9" role="main">${content({ note: sphinxNote })}</div></div></div>
<footer class="col-md-12"><hr><p>Documentation built with <a href="https://www.mkdocs.org/">MkDocs</a>.</p></footer>`,
);
const mkdocsMaterial = page(
  "mkdocs-1.6.1, mkdocs-material-9.5.0",
  `<body dir="ltr"><div data-md-component="skip"><a href="#${OWN[0][0]}" class="md-skip">Skip to content</a></div><header class="md-header"><nav class="md-header__inner md-grid"><a href="." class="md-header__button md-logo">Xenolith</a></nav></header>
<div class="md-container"><main class="md-main"><div class="md-main__inner md-grid"><div class="md-sidebar md-sidebar--primary"><div class="md-sidebar__scrollwrap"><div class="md-sidebar__inner"><nav class="md-nav md-nav--primary"><label class="md-nav__title">Xenolith</label><ul class="md-nav__list">${ITEMS}</ul></nav></div></div></div>
<div class="md-sidebar md-sidebar--secondary"><div class="md-sidebar__inner"><nav class="md-nav md-nav--secondary" aria-label="On this page"><label class="md-nav__title">On this page</label><ul class="md-nav__list">${OWN_ITEMS}</ul></nav></div></div>
<div class="md-content"><article class="md-content__inner md-typeset"><a href="/edit" title="Edit this page" class="md-content__button md-icon"></a>${content({ note: sphinxNote })}</article></div></div></main>
<footer class="md-footer"><nav class="md-footer__inner md-grid"><a href="other-0.html" class="md-footer__link md-footer__link--prev"><div class="md-footer__title"><span class="md-footer__direction">Previous</span><div class="md-ellipsis">Xenolith basics</div></div></a></nav></footer></div></body>`,
);
const readTheDocs = (generator: string | null, head: string) =>
  page(
    generator,
    `<body class="wy-body-for-nav"><div class="wy-grid-for-nav"><nav data-toggle="wy-nav-shift" class="wy-nav-side"><div class="wy-side-scroll"><div class="wy-side-nav-search"><a href="index.html" class="icon icon-home"> Xenolith</a><div role="search"><form id="rtd-search-form"><input type="text" name="q" placeholder="Search docs"></form></div></div><div class="wy-menu wy-menu-vertical" role="navigation"><p class="caption"><span>Xenolith guide</span></p><ul>${ITEMS}</ul></div></div></nav>
<section data-toggle="wy-nav-shift" class="wy-nav-content-wrap"><nav class="wy-nav-top" aria-label="top navigation"><a href="index.html">Xenolith</a></nav><div class="wy-nav-content"><div class="rst-content"><div role="navigation" aria-label="breadcrumbs navigation"><ul class="wy-breadcrumbs"><li><a href="index.html">Docs</a> &raquo;</li><li>Xenolith</li></ul><hr></div>
<div role="main" class="document" itemscope="itemscope"><div itemprop="articleBody">${content(SPHINX)}</div></div>
<footer><div class="rst-footer-buttons" role="navigation" aria-label="footer navigation"><a href="other-1.html" class="btn btn-neutral float-right" title="Xenolith tuning" accesskey="n" rel="next">Next <span class="fa"></span></a><a href="other-0.html" class="btn btn-neutral" accesskey="p" rel="prev"> Previous</a></div><hr><div role="contentinfo"><p>&copy; Copyright 2024, Xenolith.</p></div></footer></div></div></section></div>
<div class="rst-versions" data-toggle="rst-versions" role="note" aria-label="Versions"><span class="rst-current-version" data-toggle="rst-current-version"><span><a href="other-0.html" style="color: #fcfcfc">&laquo; Previous</a></span><span><a href="other-1.html" style="color: #fcfcfc">Next &raquo;</a></span></span></div></body>`,
    head,
  );

const texinfoBar = (name: string) => `<div class="${name}">
<p>Next: <a href="other-1.html" accesskey="n" rel="next">Xenolith tuning</a>, Previous: <a href="other-0.html" accesskey="p" rel="prev">Xenolith basics</a>, Up: <a href="index.html" accesskey="u" rel="up">Xenolith</a> &nbsp; [<a href="index.html#SEC_Contents" title="Table of contents" rel="contents">Contents</a>][<a href="ix.html" title="Index" rel="index">Index</a>]</p></div>`;
const texinfoContents = `<ul class="mini-toc">${OWN_ITEMS}</ul>`;
const texi2htmlBar = `<table cellpadding="1" cellspacing="1" border="0"><tr><td valign="middle" align="left">[<a href="other-0.html" title="Xenolith basics"> &lt; </a>]</td><td valign="middle" align="left">[<a href="other-1.html" title="Xenolith tuning"> &gt; </a>]</td><td> &nbsp; </td><td valign="middle" align="left">[<a href="index.html" title="Xenolith"> Up </a>]</td><td> &nbsp; </td><td>[<a href="index.html" title="Cover (top) of document">Top</a>]</td><td>[<a href="toc.html" title="Table of contents">Contents</a>]</td><td>[<a href="ix.html" title="Index">Index</a>]</td><td>[<a href="abt.html" title="About (help)"> ? </a>]</td></tr></table>`;

export const MANUAL_PAGES: Record<string, string> = {
  "DocBook, chunked": page(
    "DocBook XSL Stylesheets V1.79.1",
    `<body bgcolor="white">${docbookBar("header")}<div class="chapter">${docbookContents}${content({ h1: docbookTitle, h2: docbookSection, note: docbookNote })}</div>${docbookBar("footer")}</body>`,
  ),
  "DocBook, with the contents after the title": page(
    "DocBook XSL Stylesheets Vsnapshot",
    `<body>${docbookBar("header")}<div class="article">${content({ h1: docbookTitle + docbookContents, h2: docbookSection, note: docbookNote })}</div>${docbookBar("footer")}</body>`,
  ),
  Publican: page(
    "publican v4.3.2",
    `<body><div id="banner"><a href="/get/"><span class="text">Download Xenolith</span></a></div><p id="title"><a class="left" href="/"><img alt="Product Site" src="l.png"></a><a class="right" href="index.html"><img alt="Documentation Site" src="r.png"></a></p>
<ul class="docnav top"><li class="previous"><a accesskey="p" href="other-0.html"><strong>Prev</strong></a></li><li class="home">Xenolith</li><li class="next"><a accesskey="n" href="other-1.html"><strong>Next</strong></a></li></ul>
<div class="chapter">${content({ h1: docbookTitle, h2: docbookSection, note: (text) => `<div class="note"><div class="admonition_header"><p><strong>Note</strong></p></div><div><div class="para">${text}</div></div></div>` })}</div>
<ul class="docnav"><li class="previous"><a accesskey="p" href="other-0.html"><strong>Prev</strong>Xenolith basics</a></li><li class="up"><a accesskey="u" href="#"><strong>Up</strong></a></li><li class="home"><a accesskey="h" href="index.html"><strong>Home</strong></a></li><li class="next"><a accesskey="n" href="other-1.html"><strong>Next</strong>Xenolith tuning</a></li></ul></body>`,
  ),
  "Sphinx 1.2, classic": page(
    null,
    `${relatedBar("")}<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body">${content(SPHINX)}</div></div></div>${sphinxSidebar("")}<div class="clearer"></div></div>${relatedBar("")}<div class="footer">&copy; Copyright 2024, Xenolith. Created using <a href="http://sphinx-doc.org/">Sphinx</a> 1.2.</div>`,
    SPHINX_HEAD,
  ),
  "Sphinx 1.2, classic, with the sidebar first": page(
    null,
    `${relatedBar("")}<div class="document">${sphinxSidebar("")}<div class="documentwrapper"><div class="bodywrapper"><div class="body">${content(SPHINX)}</div></div></div></div>`,
    SPHINX_HEAD,
  ),
  "Sphinx 5, alabaster": page(
    "Docutils 0.19: https://docutils.sourceforge.io/",
    `<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main"><section id="weaving">${content(SPHINX)}</section></div></div></div>${sphinxSidebar(' role="navigation" aria-label="main navigation"')}<div class="clearer"></div></div><div class="footer">&copy;2024, Xenolith.</div>`,
  ),
  "Sphinx, Read the Docs": readTheDocs("Docutils 0.18.1: http://docutils.sourceforge.net/", ""),
  "MkDocs, mkdocs": mkdocs,
  "MkDocs, readthedocs": readTheDocs(null, ""),
  "MkDocs, material": mkdocsMaterial,
  "Docusaurus 3": docusaurus(
    "3.5.2",
    `<aside class="theme-doc-sidebar-container docSidebarContainer_YfHR"><nav aria-label="Docs sidebar" class="menu thin-scrollbar"><ul class="theme-doc-sidebar-menu menu__list">${ITEMS}</ul></nav></aside>`,
    (text) =>
      `<div class="theme-admonition theme-admonition-note admonition_xJq3 alert alert--secondary"><div class="admonitionHeading_Gvgb"><span class="admonitionIcon_Rf37"></span>note</div><div class="admonitionContent_BuS1"><p>${text}</p></div></div>`,
  ),
  "Docusaurus 2": docusaurus(
    "2.0.0-beta",
    `<div class="docSidebarContainer_3Kbt" role="complementary"><div class="sidebar_15mo"><div class="menu menu--responsive"><ul class="menu__list">${ITEMS}</ul></div></div></div>`,
    docusaurusNote,
  ),
  "Hugo, book": hugoBook,
  "Hugo, docsy": docsy,
  "Jekyll, just the docs": justTheDocs(
    `<div class="side-bar"><div class="site-header" role="banner"><a href="/" class="site-title lh-tight">Xenolith</a></div><nav aria-label="Main" id="site-nav" class="site-nav"><ul class="nav-list">${ITEMS}</ul></nav><footer class="site-footer">This site uses Xenolith.</footer></div>`,
  ),
  "Jekyll, just the docs, of divs": justTheDocs(
    `<div class="page-wrap"><div class="side-bar"><a href="/" class="site-title fs-6 lh-tight">Xenolith</a><div class="navigation-list"><ul class="navigation-list">${ITEMS}</ul></div></div></div>`,
  ),
  "Javadoc 8": page(
    null,
    `<noscript><div>JavaScript is disabled on your browser.</div></noscript>${javadocBar("top")}<div class="header"><div class="subTitle">org.example.looms</div>${`<h2 title="${TITLE}" class="title">${TITLE}</h2>`}</div><div class="contentContainer"><div class="description">${content({ h1: "" })}</div></div>${javadocBar("bottom")}<p class="legalCopy"><small>Copyright &#169; 2014 Looms. All rights reserved.</small></p>`,
    "<!-- Generated by javadoc (1.8.0_412) on Tue May 07 2024 -->",
  ),
  "Javadoc 17": page(
    "javadoc/ClassWriterImpl",
    `<body class="class-declaration-page"><div class="flex-box"><header role="banner" class="flex-header"><nav role="navigation"><div class="top-nav" id="navbar.top"><ul id="navbar.top.firstrow" class="nav-bar-list" title="Navigation">${ITEMS}</ul></div><div class="sub-nav"><div><ul class="sub-nav-list"><li>Summary:&nbsp;</li><li><a href="#preparing">Constr</a></li></ul></div></div></nav></header>
<div class="flex-content"><main role="main"><div class="header">${`<h1 title="${TITLE}" class="title">${TITLE}</h1>`}</div><section class="class-description">${content({ h1: "" })}</section></main><footer role="contentinfo"><hr><p class="legal-copy"><small>Copyright Xenolith</small></p></footer></div></div></body>`,
  ),
  "Doxygen 1.9": page(
    "Doxygen 1.9.1",
    `${doxygenTop}${doxygenPath}</div><!-- top -->${doxygenHeader}<div class="contents">${content(DOXYGEN)}</div><!-- contents --><hr class="footer"><address class="footer"><small>Generated by&#160;<a href="https://www.doxygen.org/index.html"><img class="footer" src="doxygen.svg" alt="doxygen"></a> 1.9.1</small></address>`,
  ),
  "Doxygen with a tree": page(
    "Doxygen 1.9.8",
    `${doxygenTop}</div><!-- top --><div id="side-nav" class="ui-resizable side-nav-resizable"><div id="nav-tree"><div id="nav-tree-contents"><ul>${ITEMS}</ul></div></div></div><div id="doc-content">${doxygenHeader}<div class="contents">${content(DOXYGEN)}</div></div><div id="nav-path" class="navpath"><ul><li class="navelem"><a class="el" href="other-0.html">Xenolith</a></li><li class="footer">Generated by <a href="https://www.doxygen.org/index.html">Doxygen</a> 1.9.8 </li></ul></div>`,
  ),
  "Asciidoctor, contents at the left": asciidoctor("toc2", "header"),
  "Asciidoctor, contents in the preamble": asciidoctor("toc", "preamble"),
  "GitBook 3": gitbook(
    `<div id="book-search-input" role="search"><input type="text" placeholder="Type to search"></div><nav role="navigation"><ul class="summary">${gitbookItems}</ul></nav>`,
  ),
  "GitBook 2": gitbook(
    `<div class="book-search"><input type="text" placeholder="Type to search" class="form-control"></div><ul class="summary">${gitbookItems}</ul>`,
  ),
  VitePress: vitepress(
    "aside",
    `<nav aria-labelledby="doc-outline-aria-label" class="VPDocAsideOutline"><div class="content"><div class="outline-marker"></div><div aria-level="2" class="outline-title" id="doc-outline-aria-label" role="heading">On this page</div><ul class="VPDocOutlineItem root">${OWN_ITEMS}</ul></div></nav>`,
  ),
  "VitePress of divs": vitepress(
    "div",
    `<div class="VPDocAsideOutline has-outline"><div class="content"><div class="outline-title">On this page</div><ul class="root">${OWN_ITEMS}</ul></div></div>`,
  ),
  "Texinfo 7": page(
    "makeinfo, GNU texinfo 7.1",
    `<body lang="en"><div class="chapter-level-extent" id="chapter">${texinfoBar("nav-panel")}<hr>${content({ h1: `<h2 class="chapter" id="title"><span>${TITLE}<a class="copiable-link" href="#title"> &para;</a></span></h2>${texinfoContents}` })}<hr>${texinfoBar("nav-panel")}</div></body>`,
  ),
  "Texinfo 6": page(
    "makeinfo",
    `<body lang="en"><span id="chapter"></span>${texinfoBar("header")}<hr>${content({ h1: `<span id="title"></span><h2 class="chapter">${TITLE}</h2>` })}<hr>${texinfoBar("header")}</body>`,
  ),
  "Texinfo 4": page(
    "makeinfo 4.13",
    `<div class="node"><a name="chapter"></a><p>Next:&nbsp;<a rel="next" accesskey="n" href="other-1.html">Xenolith tuning</a>,\nPrevious:&nbsp;<a rel="previous" accesskey="p" href="other-0.html">Xenolith basics</a>,\nUp:&nbsp;<a rel="up" accesskey="u" href="index.html">Xenolith</a><hr></div>${content({ h1: `<h2 class="chapter">${TITLE}</h2>` })}`,
  ),
  texi2html: page("texi2html 1.82", `${texi2htmlBar}${content()}<hr size="1">${texi2htmlBar}`),
};
