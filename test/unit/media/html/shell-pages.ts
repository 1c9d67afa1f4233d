/**
 * Pages after the shapes that frameworks, documentation tools and people give them: shells, which need a browser, and
 * whole pages, however short.
 */

const head = (title: string, more = "") =>
  `<!doctype html><html lang=en><head><meta charset=utf-8><title>${title}</title>${more}</head>`;
const page = (title: string, body: string, more = "") => `${head(title, more)}<body>${body}</body></html>`;
const SENTENCE = "The quick brown fox jumps over the lazy dog while everybody in the village sleeps. ";
const NAV =
  '<nav><a href="/">Home</a> <a href="/a">Products</a> <a href="/b">Prices</a> <a href="/c">Contact</a></nav>';
const STARTER = `<script>window.__config={"api":"/api/v2","locale":"en","features":["a","b","c"],"build":"4f2a9c","theme":"light","assets":"/static/"};</script>`;

export const SHELLS: Record<string, string> = {
  "create-react-app": page(
    "React App",
    "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>",
    '<link rel=manifest href="/manifest.json"><script defer src="/static/js/main.7f3a.js"></script>',
  ),
  "vite with react": page(
    "Vite + React",
    '<div id="root"></div>',
    '<script type="module" crossorigin src="/assets/index-Dk3.js"></script>',
  ),
  "vue-cli": page(
    "shop",
    "<noscript><strong>We're sorry but shop doesn't work properly without JavaScript enabled. Please enable it to continue.</strong></noscript><div id=app></div>",
    '<script defer src="/js/chunk-vendors.js"></script><script defer src="/js/app.js"></script>',
  ),
  angular: page(
    "Admin",
    '<app-root></app-root><script src="runtime.js" type=module></script><script src="main.js" type=module></script>',
  ),
  "angular with a spinner": page(
    "Admin",
    '<app-root><div class=spinner><svg viewBox="0 0 1 1"><circle r=1 /></svg><p>Loading…</p></div></app-root><script src="main.js" type=module></script>',
  ),
  "sveltekit without a server": page(
    "Kit",
    `<div style="display: contents"><script>{ __sveltekit_1x = { base: "" }; const element = document.currentScript.parentElement; Promise.all([ import("/_app/entry/start.js"), import("/_app/entry/app.js") ]).then(([kit, app]) => kit.start(app, element)); }</script></div>`,
  ),
  "next without a server": page(
    "",
    `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{"props":{},"page":"/"}</script><script src="/_next/static/chunks/main.js"></script>`,
  ),
  "nuxt without a server": page(
    "Shop",
    `<div id="__nuxt"></div><div id="teleports"></div><script>window.__NUXT__={};window.__NUXT__.config={public:{},app:{baseURL:"/"}}</script>`,
    '<script type="module" src="/_nuxt/entry.js"></script>',
  ),
  ember: page(
    "Orders",
    '<script src="/assets/vendor.js"></script><script src="/assets/orders.js"></script>',
    '<meta name="orders/config/environment" content="%7B%22modulePrefix%22%3A%22orders%22%7D">',
  ),
  docsify: page(
    "Docs",
    `<div id=app></div><script>window.$docsify = { name: "tool", repo: "https://github.com/a/tool", loadSidebar: true, coverpage: true, search: "auto" }</script><script src="//cdn.jsdelivr.net/npm/docsify@4"></script>`,
  ),
  "docsify that waits": page(
    "Docs",
    '<div id="app">Please wait...</div><script src="//cdn.example/docsify.js"></script>',
  ),
  "swagger-ui": page(
    "Swagger UI",
    `<div id="swagger-ui"></div><script src="./swagger-ui-bundle.js" charset="UTF-8"></script><script src="./swagger-initializer.js"></script>`,
  ),
  redoc: page("API", '<redoc spec-url="/openapi.json"></redoc><script src="/redoc.standalone.js"></script>'),
  storybook: page(
    "Storybook",
    `<div id="root"></div><script>window['FEATURES'] = {"argTypeTargetsV7":true};window['REFS'] = {};window['LOGLEVEL'] = "info";window['STORIES'] = [];</script><script type="module" src="./sb-manager/runtime.js"></script>`,
  ),
  "angularjs with templates": page(
    "Shop",
    '<div ng-app="shop" ng-controller="List as list"><h1>{{ list.title }}</h1><ul><li ng-repeat="p in list.products"><a ng-href="/p/{{p.id}}">{{ p.name }}</a> {{ p.price | currency }}</li></ul></div><script src="/angular.js"></script><script src="/shop.js"></script>',
  ),
  "vue with templates in the page": page(
    "Tickets",
    '<main v-cloak class=list><h2>{{ title }}</h2><p v-for="t in tickets">{{ t.text }}</p></main><script src="/vue.global.js"></script><script src="/tickets.js"></script>',
  ),
  flutter: page("game", '<script src="flutter_bootstrap.js" async></script>', '<base href="/">'),
  blazor: page(
    "Stock",
    '<div id="app">Loading...</div><div id="blazor-error-ui">An unhandled error has occurred. <a href="" class="reload">Reload</a></div><script src="_framework/blazor.webassembly.js"></script>',
  ),
  elm: page(
    "Elm",
    '<div id="elm"></div><script src="/elm.js"></script><script>Elm.Main.init({ node: document.getElementById("elm") })</script>',
  ),
  gwt: page(
    "Mail",
    '<iframe src="javascript:\'\'" id="__gwt_historyFrame" style="width:0;height:0"></iframe><noscript><div>Your web browser must have JavaScript enabled in order for this application to display correctly.</div></noscript>',
    '<script src="mail/mail.nocache.js"></script>',
  ),
  "a menu from the server around an empty root": page(
    "Shop",
    `${NAV}<div id="app"></div><footer>© Shop</footer><script src="/app.js"></script>`,
  ),
  "a noscript in another language": page(
    "Laden",
    '<noscript>Bitte aktivieren Sie JavaScript, um diese Seite zu sehen.</noscript><div class="main-wrap"></div><script src="/laden.js"></script>',
  ),
  "a root of no known name": page("Portal", '<div id="portal-mount-4"></div><script src="/portal.min.js"></script>'),
  "a fragment meta": page(
    "Old app",
    `<div class=view></div><p>Version 3 of the catalogue, for all departments and all warehouses of the company.</p><p>Support: ext. 4711, from eight to four, on all days but Sunday.</p><script src="/app.js"></script>`,
    '<meta name="fragment" content="!">',
  ),
  lit: page("Lit", '<my-app></my-app><script type=module src="/my-app.js"></script>'),
  "a page of data for scripts": page(
    "Chart",
    `<script>${"var data = [1,2,3,4,5,6,7,8,9,10];".repeat(20)}draw(data)</script>`,
  ),
  qwik: page("Boards", `<q-app></q-app>${STARTER}<script type=module src="/q-boards.js"></script>`),
  inertia: page(
    "Accounts",
    `<div id="app" data-page="{&quot;component&quot;:&quot;Accounts/Index&quot;,&quot;props&quot;:{&quot;rows&quot;:[]}}"></div>`,
    '<script src="/js/app.js" defer></script>',
  ),
};

export const WHOLE_PAGES: Record<string, string> = {
  "a rendered docusaurus page": page(
    "Intro",
    `<div id="__docusaurus"><nav>${NAV}</nav><main><h1>Intro</h1><p>${SENTENCE.repeat(8)}</p></main></div><script src="/assets/js/main.js" defer></script>`,
  ),
  "a rendered gatsby page": page(
    "Blog",
    `<div id="___gatsby"><div id="gatsby-focus-wrapper"><h1>Blog</h1><p>${SENTENCE.repeat(5)}</p></div></div><script src="/app.js" async></script>`,
  ),
  "a rendered next page": page(
    "News",
    `<div id="__next"><h1>News</h1><p>${SENTENCE.repeat(6)}</p></div><script id="__NEXT_DATA__" type="application/json">{"props":{"a":1}}</script><script src="/_next/main.js"></script>`,
  ),
  "a short rendered vue page": page(
    "Note",
    `<div id="app" data-server-rendered="true"><h1>Note</h1><p>${SENTENCE.repeat(2)}</p></div><script src="/app.js"></script>`,
  ),
  mkdocs: page(
    "Guide",
    `${NAV}<main><h1>Guide</h1><p>${SENTENCE.repeat(10)}</p></main><script src="assets/bundle.min.js"></script><script>__md_scope=new URL("..",location),__md_get=(e,_=localStorage,t=__md_scope)=>JSON.parse(_.getItem(t.pathname+"."+e))</script>`,
  ),
  "a gitbook page": page(
    "Start",
    `${NAV}<div class=page-inner><p>${SENTENCE.repeat(4)}</p></div><script src="gitbook/gitbook.js"></script>`,
  ),
  "javadoc with frames": `${head("API", "<script>targetPage = '' + window.location.search;</script>")}<frameset cols="20%,80%"><frame src="overview-frame.html"><frame src="overview-summary.html"><noframes><noscript>JavaScript is disabled on your browser.</noscript></noframes></frameset></html>`,
  "javadoc that leads on": page(
    "Generated Documentation",
    '<main><noscript><p>JavaScript is disabled on your browser.</p></noscript><p>You will be redirected to <a href="overview-summary.html">overview-summary.html</a>.</p></main>',
    '<script>window.location.replace("overview-summary.html")</script><noscript><meta http-equiv="Refresh" content="0;overview-summary.html"></noscript>',
  ),
  "javadoc of a class": page(
    "List",
    `<noscript><div>JavaScript is disabled on your browser.</div></noscript><h1>Interface List</h1><p>${SENTENCE.repeat(6)}</p>${NAV}`,
    '<script src="../script.js"></script>',
  ),
  "doxygen search": page(
    "Search",
    `${NAV}<div id="MSearchSelectWindow"></div><div class=contents><h1>Classes</h1><p>${SENTENCE.repeat(3)}</p></div><script src="search/search.js"></script>`,
  ),
  "a login": page(
    "Log in",
    '<form method=post action="/login"><label>Name <input name=user></label><label>Password <input type=password name=pw></label><button>Log in</button></form><script src="/app.js"></script>',
  ),
  "a redirect": page(
    "Moved",
    '<p>Moved to <a href="/new">/new</a>.</p>',
    '<meta http-equiv=refresh content="0; url=/new">',
  ),
  "a redirect by a script": page("", "", '<script>location.href = "/new" + location.search;</script>'),
  "an error": page(
    "404 Not Found",
    "<h1>Not Found</h1><p>The requested URL was not found on this server.</p><hr><address>Apache</address>",
  ),
  "an error with a counter of visitors": page(
    "404",
    `<h1>Not Found</h1><p>Sorry.</p><script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script><script>window.dataLayer = window.dataLayer || []; function gtag(){dataLayer.push(arguments);} gtag("js", new Date()); gtag("config", "G-1");</script>`,
  ),
  "a page without scripts": page("Hi", "<p>Hello.</p>"),
  "an empty root without scripts": page("Hi", "<div id=root></div>"),
  "pictures alone": page(
    "Photos",
    `${Array.from({ length: 12 }, (_, i) => `<a href="/photo/${i}"><img src="/thumb/${i}.jpg" alt=""></a>`).join("")}<script src="/lightbox.js"></script>`,
  ),
  "one picture": page(
    "Photo",
    '<h1>Sunset</h1><img src="/sunset.jpg" alt=""><p>June 2024</p><a href="/photos">All photos</a><script>document.querySelector("img").addEventListener("click", function () { this.classList.toggle("large"); document.body.classList.toggle("dark"); });</script>',
  ),
  "a short list of links": page(
    "Index",
    `<h1>Index of /pub</h1><ul>${Array.from({ length: 8 }, (_, i) => `<li><a href="f${i}">f${i}</a></li>`).join("")}</ul><script src="/sort.js"></script>`,
  ),
  "a short note": page("Note", `<h1>Closed</h1><p>${SENTENCE.repeat(6)}</p><script src="/menu.js"></script>`),
  "a search form": page(
    "Search",
    `<h1>Search the archive</h1><form action="/find"><input name=q><button>Find</button></form><p>${SENTENCE.repeat(5)}</p><script src="/suggest.js"></script>`,
  ),
  "a widget in a long page": page(
    "Shop",
    `<h1>Shoes</h1><p>${SENTENCE.repeat(30)}</p><div id="app"></div><script src="/chat.js"></script>`,
  ),
  "git's manual with footnotes": page(
    "git-stage(1)",
    `<h1>git-stage(1) Manual Page</h1><h2>NAME</h2><p>git-stage - Add file contents to the staging area</p><h2>SYNOPSIS</h2><p>git stage args…</p><p>This is a synonym for <a href="git-add.html">git-add(1)</a>. Please refer to the documentation of that command.</p><p>Last updated 2024-01-01</p><script>/*<+'])*/${"document.footnotes = function () { return 1; };".repeat(30)}</script>`,
  ),
  "a map of frames": page(
    "Board",
    '<iframe src="/chart"></iframe><iframe src="/table"></iframe><iframe src="/news"></iframe><script src="/resize.js"></script>',
  ),
  "template braces in a text": page("Docs", `<h1>Templates</h1><p>Write {{ name }} to show a name. ${SENTENCE}</p>`),
  "a page with a polyfill": page(
    "Hello",
    '<h1>Hello</h1><p>World</p><script src="https://cdnjs.example/polyfill.min.js"></script><script src="/js/modernizr.js"></script>',
  ),
  "a rendered page with custom elements": page(
    "Bank",
    `<bank-header></bank-header><main><h1>Accounts</h1><p>${SENTENCE.repeat(5)}</p></main><script type=module src="/bank.js"></script>`,
  ),
};
