import { Hono } from "hono";
import type { FC } from "hono/jsx";
import type { CrawlView } from "../api/views.ts";
import type { TreeLevel } from "../crawl/url-tree.ts";
import { mapAddress } from "./addresses.ts";
import { callApi } from "./call-api.ts";
import { CrawlHeading } from "./crawl-heading.tsx";
import { Page, render } from "./layout.tsx";
import { type MapLevels, type MapMeasure, MapPicture } from "./map-picture.tsx";
import { nameOf, TreeList } from "./map-tree.tsx";
import type { Console, PageContext } from "./page-context.ts";

/** The site as a picture, and as a tree of paths. */

export const mapPageRoutes = new Hono<Console>();

/** Levels below that the picture shows: together they read no row twice. */
const MOST_BELOW = 8;

mapPageRoutes.get("/crawls/:id/map", async (c) => {
  const at = `/api/crawls/${encodeURIComponent(c.req.param("id"))}`;
  const by: MapMeasure = c.req.query("by") === "bytes" ? "bytes" : "urls";
  const asked = c.req.query("path") ?? "";
  const [crawl, levels] = await Promise.all([callApi<CrawlView>(c, "GET", at), readLevels(c, at, asked, by)]);
  const { level } = levels;
  return render(
    c,
    <Page title="Map" c={c} section="crawls" scripts={["map.js"]} styles={["records.css"]}>
      <CrawlHeading crawl={crawl} tab="map" />
      <Crumbs crawl={crawl} path={level.path} asked={asked} by={by} />
      {level.children.length === 0 ? (
        <div class="panel empty">
          <h2>There is nothing here yet</h2>
        </div>
      ) : (
        <>
          <section class="panel" aria-label="Picture">
            <div class="map-head">
              <p class="muted small legend">
                <span data-state="kept">mostly kept</span>
                <span data-state="left">mostly left out</span>
                <span data-state="failed">over a fifth failed</span>
              </p>
              <p class="measure small">
                Areas by{" "}
                <a href={mapAddress(crawl.id, level.path)} aria-current={by === "urls" ? "true" : undefined}>
                  URLs
                </a>{" "}
                <a href={mapAddress(crawl.id, level.path, "bytes")} aria-current={by === "bytes" ? "true" : undefined}>
                  bytes
                </a>
              </p>
            </div>
            <MapPicture crawl={crawl} by={by} {...levels} />
          </section>
          <section class="panel" aria-label="Tree">
            <TreeList crawl={crawl} level={level} />
          </section>
        </>
      )}
    </Page>,
  );
});

/** What a branch of the tree opens to. */
mapPageRoutes.get("/crawls/:id/map/level", async (c) => {
  const at = `/api/crawls/${encodeURIComponent(c.req.param("id"))}`;
  const [crawl, level] = await Promise.all([
    callApi<CrawlView>(c, "GET", at),
    readLevel(c, at, c.req.query("path") ?? ""),
  ]);
  return c.html(<TreeList crawl={crawl} level={level} />);
});

/** A crawl of one host begins within it. */
async function readLevels(c: PageContext, at: string, path: string, by: MapMeasure): Promise<MapLevels> {
  const asked = await readLevel(c, at, path);
  const [only, ...others] = asked.children;
  const level = path === "" && only !== undefined && others.length === 0 ? await readLevel(c, at, only.segment) : asked;
  const largest = level.children
    .filter(({ isLeaf }) => !isLeaf)
    .toSorted((a, b) => b[by] - a[by])
    .slice(0, MOST_BELOW);
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
  /** The path in the address: none where a crawl of one host begins within it, and there is nothing above. */
  asked: string;
  by: MapMeasure;
}

const Crumbs: FC<CrumbsProps> = ({ crawl, path, asked, by }) => {
  const [, origin = "", rest = ""] = /^(https?:\/\/[^/]*\/)(.*)$/.exec(path) ?? [];
  const segments = [origin, ...rest.split("/").flatMap((each) => (each === "" ? [] : [`${each}/`]))].filter(Boolean);
  if (segments.length === 0) return null;
  return (
    <nav class="crumbs" aria-label="Path">
      <ol>
        {asked !== "" && (
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
