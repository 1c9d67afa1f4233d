import type { FieldRules, FieldValues } from "../../../../../src/media/html/fields/field-rule.ts";

/** Pages of many kinds as sites write them, with rules, and with the values that a person reads in them. */

export interface PageCase {
  kind: string;
  url: string;
  html: string;
  rules: FieldRules;
  values: FieldValues;
}

const AROUND = `<header><nav><a href="/">Home</a> <a href="/cart">Cart (3)</a> <span class="price">0,00</span></nav></header>`;
const BELOW = `<footer><p>© 2026 · 24 hours a day · +49 30 1234567</p></footer>`;

function page(language: string, title: string, body: string, head = ""): string {
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${AROUND}${body}${BELOW}</body></html>`;
}

const jsonLd = (thing: unknown) => `<script type="application/ld+json">${JSON.stringify(thing)}</script>`;

export const PAGES: readonly PageCase[] = [
  {
    kind: "a product with JSON-LD, in English",
    url: "https://shop.example/p/kettle",
    html: page(
      "en-US",
      "Kettle | Shop",
      `<main><h1>Copper kettle</h1><div class="price"><s>$1,499.00</s> <b>$1,299.95</b></div></main>`,
      jsonLd({
        "@context": "https://schema.org",
        "@graph": [
          { "@type": "BreadcrumbList", itemListElement: [{ "@type": "ListItem", name: "Kitchen" }] },
          { "@type": "Organization", name: "Shop Inc.", url: "https://shop.example/" },
          {
            "@type": "Product",
            name: "Copper kettle",
            sku: "K-100",
            gtin13: "4006381333931",
            brand: { "@type": "Brand", name: "Acme" },
            image: ["/img/kettle-1.jpg", "/img/kettle-2.jpg"],
            aggregateRating: { "@type": "AggregateRating", ratingValue: "4.6", reviewCount: 1204 },
            offers: {
              "@type": "Offer",
              price: "1299.95",
              priceCurrency: "USD",
              availability: "https://schema.org/InStock",
              priceValidUntil: "2026-12-31",
            },
          },
        ],
      }),
    ),
    rules: {
      title: {},
      price: {},
      currency: {},
      availability: {},
      brand: {},
      sku: {},
      gtin: {},
      rating: {},
      reviews: {},
      image: {},
      validUntil: { schema: "Product.offers.priceValidUntil", as: "date" },
      shownPrice: { selector: ".price b", as: "number" },
    },
    values: {
      title: "Copper kettle",
      price: 1299.95,
      currency: "USD",
      availability: "InStock",
      brand: "Acme",
      sku: "K-100",
      gtin: "4006381333931",
      rating: 4.6,
      reviews: 1204,
      image: "https://shop.example/img/kettle-1.jpg",
      validUntil: "2026-12-31",
      shownPrice: 1299.95,
    },
  },
  {
    kind: "a product with microdata, in German",
    url: "https://laden.example/bohrer",
    html: page(
      "de",
      "Schlagbohrer – Laden",
      `<div itemscope itemtype="https://schema.org/Product">
        <h1 itemprop="name">Schlagbohrer 750&nbsp;W</h1>
        <img itemprop="image" src="../bilder/bohrer.jpg" alt="">
        <span itemprop="brand" itemscope itemtype="https://schema.org/Brand"><meta itemprop="name" content="Bohrmann"></span>
        <div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
          <span itemprop="price" content="1234.56">1.234,56</span> <span itemprop="priceCurrency" content="EUR">€</span>
          <link itemprop="availability" href="https://schema.org/OutOfStock">
        </div>
        <p>Statt <del>1.399,00 €</del></p>
        <ul class="merkmale"><li>750 W</li><li>  Zwei   Gänge </li><li><b>SDS</b>-plus</li></ul>
      </div>`,
    ),
    rules: {
      name: { schema: "Product.name" },
      price: { schema: "Product.offers.price", as: "number" },
      currency: {},
      availability: { schema: "Product.offers.availability" },
      brand: { schema: "Product.brand.name" },
      image: { schema: "Product.image", as: "url" },
      oldPrice: { selector: "del", as: "number" },
      features: { selector: ".merkmale li", as: "list" },
    },
    values: {
      name: "Schlagbohrer 750 W",
      price: 1234.56,
      currency: "EUR",
      availability: "OutOfStock",
      brand: "Bohrmann",
      image: "https://laden.example/bilder/bohrer.jpg",
      oldPrice: 1399,
      features: ["750 W", "Zwei Gänge", "SDS-plus"],
    },
  },
  {
    kind: "a product without data for programs, in French",
    url: "https://boutique.example/fr/velo",
    html: page(
      "fr",
      "Vélo",
      `<div id="produit"><h1>Vélo de ville</h1>
        <p class="prix">1&#8239;234,56&nbsp;€ <small>TTC</small></p>
        <table><tr><th>Poids :</th><td>14,2 kg</td></tr><tr><th>Réf.</th><td>VL-2024</td></tr></table>
        <a class="notice" href="/docs/velo.pdf">Notice</a><p class="remise">−15 %</p>
        <button data-prix="1234.56" class="achat">Acheter</button></div>`,
    ),
    rules: {
      title: { selector: "h1" },
      price: { schema: "Product.offers.price", selector: ".prix", as: "number" },
      weight: { selector: 'th:contains("Poids") + td', as: "number" },
      reference: { selector: 'th:contains("Réf.") + td' },
      manual: { selector: "a.notice", as: "url" },
      discount: { selector: ".remise", as: "number" },
      exact: { selector: ".achat", attribute: "data-prix", as: "number" },
      color: { selector: ".couleur" },
    },
    values: {
      title: "Vélo de ville",
      price: 1234.56,
      weight: 14.2,
      reference: "VL-2024",
      manual: "https://boutique.example/docs/velo.pdf",
      discount: -15,
      exact: 1234.56,
      color: null,
    },
  },
  {
    kind: "a product in India, and its price per item",
    url: "https://dukan.example/tv",
    html: page(
      "en-IN",
      "TV",
      `<main><h1 class="a1b2c3">Television 55"</h1><span class="mrp">MRP: ₹1,54,900</span><span class="deal">₹ 1,23,456.50 only</span><i class="off">Save 20%</i></main>`,
    ),
    rules: {
      price: { selector: ".deal", as: "number" },
      mrp: { selector: ".mrp", as: "number" },
      off: { selector: ".off", as: "number" },
    },
    values: { price: 123456.5, mrp: 154900, off: 20 },
  },
  {
    kind: "a news article, in Spanish",
    url: "https://diario.example/2026/03/14/eclipse.html",
    html: page(
      "es",
      "Un eclipse | El Diario",
      `<article><h1>Un eclipse <em>total</em></h1><p class="firma">Por <a href="/autor/ana">Ana Gómez</a></p>
        <time datetime="2026-03-14T08:30:00+01:00">14 de marzo de 2026</time>
        <div class="cuerpo"><p>Uno.</p><p>Dos &amp; tres.</p><script>track()</script></div></article>`,
      `<meta property="article:published_time" content="2026-03-14T08:30:00+01:00"><meta property="article:tag" content="ciencia"><meta property="article:tag" content="sol">${jsonLd(
        {
          "@type": "NewsArticle",
          headline: "Un eclipse total",
          author: [
            { "@type": "Person", name: "Ana Gómez" },
            { "@type": "Person", name: "Luis Paz" },
          ],
          datePublished: "2026-03-14T08:30:00+01:00",
          dateModified: "2026-03-15",
          publisher: { "@type": "Organization", name: "El Diario" },
          articleSection: "Ciencia",
        },
      )}`,
    ),
    rules: {
      headline: {},
      published: {},
      modified: {},
      author: {},
      authors: { schema: "Article.author.name", as: "list" },
      section: {},
      tags: {},
      byline: { selector: ".firma a" },
      authorPage: { selector: ".firma a", as: "url" },
      day: { selector: "time", as: "date" },
      written: { selector: "article time", attribute: "datetime" },
      text: { selector: ".cuerpo" },
      html: { selector: ".cuerpo p", as: "html" },
      titleHtml: { selector: "h1", as: "html" },
    },
    values: {
      headline: "Un eclipse total",
      published: "2026-03-14T07:30:00Z",
      modified: "2026-03-15",
      author: "Ana Gómez",
      authors: ["Ana Gómez", "Luis Paz"],
      section: "Ciencia",
      tags: ["ciencia", "sol"],
      byline: "Ana Gómez",
      authorPage: "https://diario.example/autor/ana",
      day: "2026-03-14T07:30:00Z",
      written: "2026-03-14T08:30:00+01:00",
      text: "Uno. Dos & tres.",
      html: "Uno.",
      titleHtml: "Un eclipse <em>total</em>",
    },
  },
  {
    kind: "a recipe, in Italian",
    url: "https://cucina.example/ribollita",
    html: page(
      "it",
      "Ribollita",
      `<h1>Ribollita</h1><div class="voto">Voto: 4,5 su 5 (1.204 voti)</div><span class="porzioni">4 porzioni</span>`,
      jsonLd([
        {
          "@type": ["Recipe"],
          name: "Ribollita",
          recipeIngredient: ["500 g di cavolo nero", "2 carote", "pane"],
          recipeInstructions: [
            { "@type": "HowToStep", text: "Tagliare." },
            { "@type": "HowToStep", text: "Cuocere." },
          ],
          totalTime: "PT2H30M",
          recipeYield: "4",
          nutrition: { "@type": "NutritionInformation", calories: "320 kcal" },
        },
      ]),
    ),
    rules: {
      name: {},
      ingredients: {},
      instructions: {},
      totalTime: {},
      yield: {},
      recipeYield: { as: "number" },
      calories: { schema: "Recipe.nutrition.calories", as: "number" },
      rating: { schema: "Recipe.aggregateRating.ratingValue", selector: ".voto", as: "number" },
      servings: { selector: ".porzioni", as: "number" },
    },
    values: {
      name: "Ribollita",
      ingredients: ["500 g di cavolo nero", "2 carote", "pane"],
      instructions: ["Tagliare.", "Cuocere."],
      totalTime: "PT2H30M",
      yield: "4",
      recipeYield: 4,
      calories: 320,
      rating: 4.5,
      servings: 4,
    },
  },
  {
    kind: "a job, in Dutch",
    url: "https://banen.example/vacature/12",
    html: page(
      "nl",
      "Smid gezocht",
      `<h1>Smid</h1><dl><dt>Salaris</dt><dd>€ 3.250 - € 4.100 per maand</dd><dt>Uren</dt><dd>32–40 uur</dd><dt>Sluitingsdatum</dt><dd>1 mei 2026</dd></dl>`,
      jsonLd({
        "@type": "JobPosting",
        title: "Smid",
        datePosted: "2026-02-01",
        validThrough: "2026-05-01T23:59",
        hiringOrganization: { "@type": "Organization", name: "IJzer BV", sameAs: "https://ijzer.example" },
        jobLocation: {
          "@type": "Place",
          address: {
            "@type": "PostalAddress",
            streetAddress: "Kade 1",
            postalCode: "3011",
            addressLocality: "Rotterdam",
            addressCountry: "NL",
          },
        },
        baseSalary: {
          "@type": "MonetaryAmount",
          currency: "EUR",
          value: { "@type": "QuantitativeValue", minValue: 3250, maxValue: 4100, unitText: "MONTH" },
        },
      }),
    ),
    rules: {
      title: {},
      company: {},
      posted: { schema: "JobPosting.datePosted", as: "date" },
      validThrough: {},
      location: {},
      address: { schema: "JobPosting.jobLocation.address" },
      salary: {},
      maxSalary: { schema: "JobPosting.baseSalary.value.maxValue", as: "number" },
      shownSalary: { selector: 'dt:contains("Salaris") + dd', as: "number" },
      hours: { selector: 'dt:contains("Uren") + dd', as: "number" },
      closes: { selector: 'dt:contains("Sluitingsdatum") + dd', as: "date" },
    },
    values: {
      title: "Smid",
      company: "IJzer BV",
      posted: "2026-02-01",
      validThrough: "2026-05-01T23:59:00",
      location: "Rotterdam",
      address: "Kade 1, 3011, Rotterdam, NL",
      salary: 3250,
      maxSalary: 4100,
      shownSalary: 3250,
      hours: 32,
      closes: "2026-05-01",
    },
  },
  {
    kind: "an event, in Swiss German",
    url: "https://konzerte.example/abend",
    html: page(
      "de-CH",
      "Konzertabend",
      `<div itemscope itemtype="http://schema.org/MusicEvent"><h2 itemprop="name">Konzertabend</h2>
        <time itemprop="startDate" datetime="2026-09-05T19:30:00+02:00">Sa., 5. September 2026, 19.30 Uhr</time>
        <div itemprop="location" itemscope itemtype="http://schema.org/Place"><span itemprop="name">Tonhalle</span>
          <div itemprop="address" itemscope itemtype="http://schema.org/PostalAddress"><span itemprop="addressLocality">Zürich</span></div></div>
        <div class="karten">Karten ab CHF 1’250.50 bis CHF 1’900.–</div><p class="ende">Ende: 5.9.2026</p></div>`,
    ),
    rules: {
      name: {},
      start: {},
      location: {},
      city: { schema: "Event.location.address.addressLocality" },
      from: { selector: ".karten", as: "number" },
      end: { selector: ".ende", as: "date" },
    },
    values: {
      name: "Konzertabend",
      start: "2026-09-05T17:30:00Z",
      location: "Tonhalle",
      city: "Zürich",
      from: 1250.5,
      end: "2026-09-05",
    },
  },
  {
    kind: "a thread of a forum, in English",
    url: "https://forum.example/t/42",
    html: page(
      "en",
      "How do I sharpen a knife? - Forum",
      `<h1 class="topic">How do I sharpen a knife?</h1>
        <div class="post" data-author="mara"><a class="user" href="/u/mara">mara</a><time datetime="2026-01-02T10:00:00Z">2 Jan</time><div class="body">With a <b>stone</b>.</div><span class="likes">1.2k likes</span></div>
        <div class="post" data-author="tom"><a class="user" href="/u/tom">tom</a><time datetime="2026-01-03T10:00:00Z">3 Jan</time><div class="body">With a belt.</div><span class="likes">3</span></div>
        <div class="stats">Replies: 1,024 · Views: 98,765</div>`,
    ),
    rules: {
      title: { selector: "h1.topic" },
      author: { selector: ".post", attribute: "data-author" },
      authors: { selector: ".post", attribute: "data-author", as: "list" },
      firstPost: { selector: ".post .body" },
      secondPost: { selector: ".post:nth-of-type(2) .body" },
      asked: { selector: ".post time", as: "date" },
      likes: { selector: ".likes", as: "number" },
      replies: { selector: ".stats", as: "number" },
      people: { selector: ".post .user", as: "list" },
      notByTom: { selector: '.post:not([data-author="tom"]) .user' },
      withBold: { selector: ".post:has(b) .user" },
    },
    values: {
      title: "How do I sharpen a knife?",
      author: "mara",
      authors: ["mara", "tom"],
      firstPost: "With a stone.",
      secondPost: "With a belt.",
      asked: "2026-01-02T10:00:00Z",
      likes: 1200,
      replies: 1024,
      people: ["mara", "tom"],
      notByTom: "mara",
      withBold: "mara",
    },
  },
  {
    kind: "a manual, in Japanese",
    url: "https://docs.example/ja/api/open",
    html: page(
      "ja",
      "open — マニュアル 3.14",
      `<main><h1>open(<var>path</var>)</h1><p class="since">バージョン 3.2 で追加</p><pre><code>open("a")
open("b")</code></pre><p class="updated">最終更新: 2026年3月14日</p><p class="day">2026年3月14日</p><p class="yen">12,800円</p><ul class="params"><li>path</li><li>mode</li></ul></main>`,
      `<meta name="description" content="ファイルを開く。"><link rel="canonical" href="https://docs.example/ja/api/open">`,
    ),
    rules: {
      title: { selector: "main h1" },
      description: {},
      since: { selector: ".since", as: "number" },
      canonical: { selector: 'link[rel="canonical"]', as: "url" },
      meta: { selector: 'meta[name="description"]' },
      params: { selector: ".params li", as: "list" },
      day: { selector: ".day", as: "date" },
      updated: { selector: ".updated", as: "date" },
      price: { selector: ".yen", as: "number" },
    },
    values: {
      title: "open(path)",
      description: "ファイルを開く。",
      since: 3.2,
      canonical: "https://docs.example/ja/api/open",
      meta: "ファイルを開く。",
      params: ["path", "mode"],
      day: "2026-03-14",
      updated: "2026-03-14",
      price: 12800,
    },
  },
  {
    kind: "a house, in Brazilian Portuguese",
    url: "https://imoveis.example/casa/7",
    html: page(
      "pt-BR",
      "Casa à venda",
      `<section id="ficha"><h1>Casa à venda em Olinda</h1><div class="valor">R$&nbsp;1.299.900,00</div>
        <span class="area">1.250 m²</span><span class="quartos">3 quartos</span><span class="iptu">IPTU R$ 1.234</span>
        <p class="data">Publicado em 03/04/2026</p><img class="foto" src="/f/1.jpg" alt="Fachada"></section>`,
      jsonLd({ "@type": "RealEstateListing", name: "Casa à venda em Olinda", datePosted: "2026-04-03" }),
    ),
    rules: {
      title: {},
      price: { schema: "RealEstateListing.offers.price", selector: ".valor", as: "number" },
      area: { selector: ".area", as: "number" },
      rooms: { selector: ".quartos", as: "number" },
      tax: { selector: ".iptu", as: "number" },
      published: {},
      shownDate: { selector: ".data", as: "date" },
      photo: { selector: "img.foto", as: "url" },
      caption: { selector: "img.foto" },
    },
    values: {
      title: "Casa à venda em Olinda",
      price: 1299900,
      area: 1250,
      rooms: 3,
      tax: 1234,
      published: "2026-04-03",
      shownDate: "2026-04-03",
      photo: "https://imoveis.example/f/1.jpg",
      caption: "Fachada",
    },
  },
  {
    kind: "a book, in Polish, with other books around it",
    url: "https://ksiegarnia.example/lalka",
    html: page(
      "pl",
      "Lalka",
      `<div class="ksiazka"><h1>Lalka</h1><span class="cena">1 049,90 zł</span></div><aside><div class="cena">9,90 zł</div></aside>`,
      jsonLd([
        { "@type": "Book", name: "Faraon", isbn: "111", author: { "@type": "Person", name: "Bolesław Prus" } },
        {
          "@type": "Book",
          name: "Lalka",
          url: "https://ksiegarnia.example/lalka",
          author: { "@id": "#prus" },
          workExample: [{ "@type": "Book", isbn: "9788373271890", bookFormat: "https://schema.org/Paperback" }],
        },
        { "@type": "Person", "@id": "#prus", name: "Bolesław Prus" },
      ]),
    ),
    rules: {
      title: { schema: "Book.name" },
      author: { schema: "Book.author.name" },
      isbn: { schema: "Book.workExample.isbn" },
      format: { schema: "Book.workExample.bookFormat" },
      price: { selector: ".cena", as: "number" },
    },
    values: { title: "Lalka", author: "Bolesław Prus", isbn: "9788373271890", format: "Paperback", price: 1049.9 },
  },
];
