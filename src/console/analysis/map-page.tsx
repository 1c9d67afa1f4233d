import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type { CrawlView, SectionsView } from "../../api/views.ts";
import type { TreeLevel } from "../../crawl/page/url-tree.ts";
import { apiPath, callApi, callApiIfThere } from "../call-api.ts";
import { CrawlHeading } from "../crawl/crawl-heading.tsx";
import { Page, render } from "../layout.tsx";
import type { Console, PageContext } from "../page-context.ts";
import { mapAddress } from "../parts/addresses.ts";
import { levelBoxes, type MapLevels, type MapMeasure } from "./level-boxes.ts";
import { MapHead, MapPicture } from "./map-picture.tsx";
import { nameOf, TreeList } from "./map-tree.tsx";
import { readMeasure, SectionMap } from "./section-map.tsx";

/** The site as a map of its sections, where an analysis found them, or of its paths. */

export const mapPageRoutes = new Hono<Console>();

/** The number of children whose own levels the treemap shows. Together they read no row twice. */
const MAX_BELOW = 8;

mapPageRoutes.get("/crawls/:id/map", async (c) => {
  const at = apiPath(c);
  const found = await callApiIfThere<SectionsView>(c, "GET", `${at}/sections`);
  if (found !== null && c.req.query("path") === undefined) return renderSections(c, at, found);
  const by: MapMeasure = c.req.query("by") === "bytes" ? "bytes" : "urls";
  const requested = c.req.query("path") ?? "";
  const [crawl, levels] = await Promise.all([callApi<CrawlView>(c, "GET", at), readLevels(c, at, requested, by)]);
  const { level } = levels;
  return render(
    c,
    <Page title="Map" c={c} section="crawls" scripts={["map.js"]} styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="map" />
      {found === null ? (
        <p class="notice">
          After an <a href={`/crawls/${crawl.id}/report`}>analysis</a>, this map shows what kinds of pages the site has.
        </p>
      ) : (
        <Views crawl={crawl} view="paths" />
      )}
      <Crumbs crawl={crawl} path={level.path} requested={requested} by={by} />
      {level.children.length === 0 ? (
        <div class="panel empty">
          <h2>No URLs yet</h2>
        </div>
      ) : (
        <>
          <section class="panel" aria-label="Treemap">
            <MapHead
              measures={[
                { name: "URLs", href: mapAddress(crawl.id, level.path), isCurrent: by === "urls" },
                { name: "bytes", href: mapAddress(crawl.id, level.path, "bytes"), isCurrent: by === "bytes" },
              ]}
            />
            <MapPicture boxes={levelBoxes(crawl, levels, by)} />
          </section>
          <section class="panel" aria-label="Tree">
            <TreeList crawl={crawl} level={level} />
          </section>
        </>
      )}
    </Page>,
  );
});

async function renderSections(c: PageContext, at: string, found: SectionsView) {
  const crawl = await callApi<CrawlView>(c, "GET", at);
  return render(
    c,
    <Page title="Map" c={c} section="crawls" styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="map" />
      <Views crawl={crawl} view="sections" />
      <SectionMap crawl={crawl} found={found} by={readMeasure(c.req.query("by"))} />
    </Page>,
  );
}

const Views: FC<{ crawl: CrawlView; view: "sections" | "paths" }> = ({ crawl, view }) => (
  <nav class="measure map-views small" aria-label="Map">
    <a href={`/crawls/${crawl.id}/map`} aria-current={view === "sections" ? "page" : undefined}>
      By section
    </a>{" "}
    <a href={mapAddress(crawl.id, "")} aria-current={view === "paths" ? "page" : undefined}>
      By path
    </a>
  </nav>
);

/** The content of an unfolded branch. */
mapPageRoutes.get("/crawls/:id/map/level", async (c) => {
  const at = apiPath(c);
  const [crawl, level] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    readLevel(c, at, c.req.query("path") ?? ""),
  ]);
  return c.html(<TreeList crawl={crawl} level={level} />);
});

/** A crawl of one host starts at the level of that host. */
async function readLevels(c: PageContext, at: string, path: string, by: MapMeasure): Promise<MapLevels> {
  const requested = await readLevel(c, at, path);
  const [only, ...others] = requested.children;
  const level =
    path === "" && only !== undefined && others.length === 0 ? await readLevel(c, at, only.segment) : requested;
  const largest = level.children
    .filter(({ isLeaf }) => !isLeaf)
    .toSorted((a, b) => b[by] - a[by])
    .slice(0, MAX_BELOW);
  const below = await Promise.all(
    largest.map(async ({ segment }) => [segment, await readLevel(c, at, level.path + segment)] as const),
  );
  return { level, below: new Map(below) };
}

function readLevel(c: PageContext, at: string, path: string): Promise<TreeLevel> {
  return callApi<TreeLevel>(c, "GET", `${at}/tree?${new URLSearchParams({ path })}`);
}

interface CrumbsProps {
  crawl: CrawlView;
  path: string;
  /** The path in the address. Empty where a crawl of one host starts at the host: then there is no level above. */
  requested: string;
  by: MapMeasure;
}

const Crumbs: FC<CrumbsProps> = ({ crawl, path, requested, by }) => {
  const [, origin = "", rest = ""] = /^(https?:\/\/[^/]*\/)(.*)$/.exec(path) ?? [];
  const segments = [origin, ...rest.split("/").flatMap((each) => (each === "" ? [] : [`${each}/`]))].filter(Boolean);
  if (segments.length === 0) return null;
  return (
    <nav class="crumbs" aria-label="Path">
      <ol>
        {requested !== "" && (
          <li>
            <a href={mapAddress(crawl.id, "", by)}>All hosts</a>
          </li>
        )}
        {segments.map((segment, i) => (
          <li>
            {i === segments.length - 1 ? (
              <span aria-current="page">{nameOf({ segment })}</span>
            ) : (
              <a href={mapAddress(crawl.id, segments.slice(0, i + 1).join(""), by)}>{nameOf({ segment })}</a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
};
