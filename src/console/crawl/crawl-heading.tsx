import type { FC, PropsWithChildren } from "hono/jsx";
import type { CrawlView } from "../../api/views.ts";
import { plural } from "../../core/shown-values.ts";
import { Heading } from "../layout.tsx";
import { Status, shortUrl, Time } from "../parts/numbers.tsx";

/** The top of every page of a crawl: its seed, its status and its tabs. */

const TABS = [
  { name: "overview", path: "", text: "Overview" },
  { name: "records", path: "/records", text: "Records" },
  { name: "values", path: "/values", text: "Values" },
  { name: "topic", path: "/topic", text: "Subject" },
  { name: "month", path: "/month", text: "Thirty days" },
  { name: "changes", path: "/changes", text: "Changes" },
  { name: "report", path: "/report", text: "Report" },
  { name: "topics", path: "/topics", text: "Topics" },
  { name: "labels", path: "/labels", text: "Labels" },
  { name: "map", path: "/map", text: "Map" },
  { name: "hosts", path: "/hosts", text: "Hosts" },
  { name: "export", path: "/export", text: "Export" },
  { name: "webhooks", path: "/webhooks", text: "Webhooks" },
] as const;
type Tab = (typeof TABS)[number]["name"];

function isShown(tab: Tab, { watching, relevant, options }: CrawlView): boolean {
  // A crawl over several ledgers has none.
  if (tab === "webhooks") return options.shards === 1;
  if (tab === "values") return options.extract !== null;
  if (tab === "changes" || tab === "month") return watching !== null;
  return tab !== "topic" || relevant !== null;
}

export const CrawlHeading: FC<PropsWithChildren<{ crawl: CrawlView; tab?: Tab }>> = ({ crawl, tab, children }) => {
  const [seed = "", ...others] = crawl.urls;
  const at = `/crawls/${crawl.id}`;
  return (
    <>
      <Heading title={crawl.options.name || shortUrl(seed)} back={{ href: "/crawls", text: "Crawls" }}>
        <div class="actions" id="actions" data-live>
          {children}
        </div>
      </Heading>
      <p class="about" id="about" data-live>
        <Status of={crawl.status} />
        <span class="muted">
          {crawl.options.name !== "" && `${shortUrl(seed)}, `}Started <Time at={crawl.createdAt} />
          {crawl.watching?.since != null && (
            <>
              , watched since <Time at={crawl.watching.since} />
            </>
          )}
          {crawl.finishedAt !== null && (
            <>
              , ended <Time at={crawl.finishedAt} />
            </>
          )}
          {others.length > 0 && `, ${plural(others.length, "more seed")}`}
          {crawl.scheduleId !== null && ", scheduled"}
          {crawl.archive !== null && `, imported from ${crawl.archive.name}`}
          {crawl.options.dryRun && ", dry run"}
        </span>
      </p>
      <nav class="tabs" aria-label="Crawl">
        {TABS.filter(({ name }) => isShown(name, crawl)).map(({ name, path, text }) => (
          <a href={at + path} aria-current={name === tab ? "page" : undefined}>
            {text}
          </a>
        ))}
        {crawl.options.search && <a href={`/search?crawl=${crawl.id}`}>Search</a>}
      </nav>
    </>
  );
};
