import { classWords, rememberNames } from "../facts/surrounding-names.ts";

/** Groups of words that classes, ids and roles have in common. What they are worth, the model says (block-model.ts). */
const GROUPS = {
  navigation:
    "nav navbar navigation navigations menu menus submenu breadcrumb breadcrumbs crumbs topbar toolbar pagination pager paging tabs " +
    "toc sitemap dropdown megamenu navi prev next skip",
  aside: "sidebar aside widget widgets rail sidecol secondary complementary",
  footer: "footer foot colophon copyright legal bottom imprint",
  header: "header masthead banner hero logo brand head intro",
  share: "share sharing shares social socials follow addtoany sharedaddy",
  related:
    "related recommended recommendation recommendations similar more popular trending latest recent featured teaser teasers promo " +
    "promos upsell crosssell also most carousel slider swiper",
  comments: "comments comment respond disqus reply replies commentlist commentform",
  ads: "ad ads advert advertisement advertising sponsor sponsored promoted outbrain taboola adsense",
  newsletter: "newsletter subscribe subscription signup cta optin donate donation",
  meta: "byline meta author authors date dates timestamp published posted tags tag category categories cat info credit credits time",
  form: "form search searchform login modal popup cookie cookies consent gdpr overlay filter filters facet facets sort",
  content:
    "content article body entry post story text main copy prose richtext rte wysiwyg markdown detail page maincontent primary",
  product:
    "product products price prices description desc spec specs specification specifications review reviews rating ratings feature " +
    "features variant variants sku cart buy stock",
  list: "list lists grid item items card cards results result listing listings collection tile tiles row catalog gallery",
  forum:
    "thread threads topic message messages posts postbody answer answers question reply signature user username profile avatar",
  hidden: "hidden collapse collapsed sr only accessibility screen reader visually noscript",
  section: "section block container wrapper inner module component panel box layout column",
  title: "title heading headline subtitle subheading name summary lead lede excerpt abstract caption",
} as const;

export const NAME_GROUPS = Object.keys(GROUPS);

const BITS = new Map<string, number>();
for (const [bit, words] of Object.values(GROUPS).entries())
  for (const word of words.split(" ")) BITS.set(word, (BITS.get(word) ?? 0) | (1 << bit));

const bitsOf = rememberNames((names) => classWords(names).reduce((bits, word) => bits | (BITS.get(word) ?? 0), 0));

/** One bit for each group of which `written` holds a word. It is a class, an id and a role, with spaces between. */
export function groupsOf(written: string): number {
  return written.length < 2 ? 0 : bitsOf(written);
}
