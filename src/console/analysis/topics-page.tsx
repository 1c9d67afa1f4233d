import { Hono } from "hono";
import type { FC } from "hono/jsx";
import { ApiProblem } from "../../api/requests/api-problem.ts";
import type { CrawlView, PassView, TopicsView } from "../../api/views.ts";
import { plural } from "../../core/shown-values.ts";
import { apiPath, callApi, callApiIfThere } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { recordAddress } from "../parts/addresses.ts";
import { Submit } from "../parts/controls.tsx";
import { shortUrl, Time } from "../parts/numbers.tsx";
import { PassState, passToShow, REFRESH_S } from "./pass-panel.tsx";

/** The groups of a crawl's pages by what they say, and the button that looks for them. */

export const topicsPageRoutes = new Hono<Console>();

type Topic = TopicsView["topics"][number];
type TopicPage = Topic["central"][number];

topicsPageRoutes.get("/crawls/:id/topics", (c) => topicsPage(c));

topicsPageRoutes.post("/crawls/:id/topics", async (c) => {
  try {
    await callApi(c, "POST", `${apiPath(c)}/topics`);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 409) throw error;
    return topicsPage(c, error.message);
  }
  return c.redirect(`/crawls/${encodeURIComponent(c.req.param("id"))}/topics`, 303);
});

async function topicsPage(c: PageContext, problem: string | null = null): Promise<Response> {
  const at = apiPath(c);
  const [crawl, passes, found] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    callApi<PassView[]>(c, "GET", `${at}/passes`),
    callApiIfThere<TopicsView>(c, "GET", `${at}/topics`),
  ]);
  const { pass, isRunning, mayStart } = passToShow(c, crawl, passes, "topics");
  return render(
    c,
    <Page title="Topics" c={c} section="crawls" scripts={["live.js"]} styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="topics" />
      {problem !== null && (
        <p class="notice problem" role="alert">
          {problem}
        </p>
      )}
      <section class="panel" id="topics-pass" data-live data-every={isRunning ? REFRESH_S : undefined}>
        <h2>Topics</h2>
        <p>{pass === null ? "Group the pages by what they say. All texts are read." : <PassState pass={pass} />}</p>
        {mayStart && (
          <form method="post" action={`/crawls/${crawl.id}/topics`}>
            <Submit>{pass === null ? "Find topics" : "Find topics again"}</Submit>
          </form>
        )}
      </section>
      <div id="topics" data-live>
        {found !== null && <FoundTopics crawl={crawl} found={found} />}
      </div>
    </Page>,
    problem === null ? 200 : 409,
  );
}

const FoundTopics: FC<{ crawl: CrawlView; found: TopicsView }> = ({ crawl, found }) => {
  const { topics, pages, ungrouped, sampled, foundAt } = found;
  if (topics.length === 0)
    return <p class="empty">The texts have too little in common for groups, or there are too few of them.</p>;
  return (
    <>
      <p class="notice">
        {plural(pages, "page")} in {plural(topics.length, "group")}, found <Time at={foundAt} />.
        {sampled < pages && ` The groups were learned from a sample of ${plural(sampled, "page")}.`}
        {ungrouped > 0 && ` ${plural(ungrouped, "page")} belong to no group.`}
      </p>
      <ol class="topics">
        {topics.map((topic) => (
          <TopicPanel crawl={crawl} topic={topic} />
        ))}
      </ol>
    </>
  );
};

const TopicPanel: FC<{ crawl: CrawlView; topic: Topic }> = ({ crawl, topic }) => {
  const { words, pages, share, central, ranked } = topic;
  return (
    <li class="panel">
      <h2>{words.slice(0, 3).join(", ")}</h2>
      <p class="muted">
        {plural(pages, "page")}, {(share * 100).toFixed(share < 0.1 ? 1 : 0)}%
      </p>
      {words.length > 3 && (
        <p>
          {words.slice(3).map((word) => (
            <>
              <span class="tag">{word}</span>{" "}
            </>
          ))}
        </p>
      )}
      <div class="columns">
        <BestPages crawl={crawl} title="Most typical" pages={central.slice(0, MAX_SHOWN)} />
        {ranked.length > 0 && <BestPages crawl={crawl} title="Highest rank" pages={ranked.slice(0, MAX_SHOWN)} />}
      </div>
    </li>
  );
};

/** The API has some more. */
const MAX_SHOWN = 4;

const BestPages: FC<{ crawl: CrawlView; title: string; pages: TopicPage[] }> = ({ crawl, title, pages }) => (
  <div>
    <h3>{title}</h3>
    <ul class="best">
      {pages.map(({ url, title: name }) => (
        <li>
          <a class="url" href={recordAddress(crawl.id, url)}>
            {name || shortUrl(url)}
          </a>
        </li>
      ))}
    </ul>
  </div>
);
