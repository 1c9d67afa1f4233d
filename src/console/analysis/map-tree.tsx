import type { FC } from "hono/jsx";
import type { CrawlView } from "../../api/views.ts";
import { bytes, count, plural } from "../../core/shown-values.ts";
import type { TreeCounts, TreeLevel, TreeNode, TreeRange } from "../../crawl/page/url-tree.ts";
import { mapAddress, recordsAddress } from "../parts/addresses.ts";

/** A level of the tree as a list. A branch unfolds in place with scripts, and links to its own page without. */

export const TreeList: FC<{ crawl: CrawlView; level: TreeLevel }> = ({ crawl, level }) => {
  const { path, children, ranges } = level;
  const largest = Math.max(1, ...[...children, ...ranges].map(({ urls }) => urls));
  return (
    <ul class="tree">
      {children.map((node) => (
        <li>
          {node.isLeaf ? (
            <div class="leaf">
              <Row name={nameOf(node)} counts={node} largest={largest} href={leafAddress(crawl, path, node)} />
            </div>
          ) : (
            <details data-level={`/crawls/${crawl.id}/map/level?${new URLSearchParams({ path: path + node.segment })}`}>
              <summary>
                <Row name={nameOf(node)} counts={node} largest={largest} />
              </summary>
              <p class="open">
                <a href={mapAddress(crawl.id, path + node.segment)}>Open {nameOf(node)}</a>
              </p>
            </details>
          )}
        </li>
      ))}
      {ranges.map((range, i) => (
        <li>
          <div class="leaf">
            <Row
              name={`${rangeName(range)} (${plural(range.children, "path")})`}
              counts={range}
              largest={largest}
              href={rangeAddress(crawl, path, ranges[i - 1])}
            />
          </div>
        </li>
      ))}
    </ul>
  );
};

interface RowProps {
  name: string;
  counts: TreeCounts;
  largest: number;
  href?: string;
}

const Row: FC<RowProps> = ({ name, counts, largest, href }) => (
  <span class="node">
    <span class="name">{href === undefined ? name : <a href={href}>{name}</a>}</span>
    <svg class="share" aria-hidden="true">
      <rect width={`${((counts.urls / largest) * 100).toFixed(1)}%`} height="100%" rx="3" />
    </svg>
    <span class="number">{plural(counts.urls, "URL")}</span>
    <span class="counts">
      <span class="number muted">
        {count(counts.completed)} stored{counts.queued > 0 && `, ${count(counts.queued)} queued`}
      </span>
      <span class={counts.errored > 0 ? "number errored" : "number muted"}>{count(counts.errored)} errored</span>
      <span class="number muted">{bytes(counts.bytes)}</span>
    </span>
  </span>
);

/** The segment as shown: decoded, and without the scheme. */
export function nameOf({ segment }: Pick<TreeNode, "segment">): string {
  if (segment === "") return "(this path)";
  try {
    return decodeURI(segment).replace(/^https?:\/\/(?=.)/, "");
  } catch {
    return segment;
  }
}

export function rangeName({ first, last }: Pick<TreeRange, "first" | "last">): string {
  const [from, to] = [first, last].map((segment) => nameOf({ segment }));
  return from === to ? `${from}` : `${from} – ${to}`;
}

/** The records below `path`, after the range before. */
export function rangeAddress(crawl: CrawlView, path: string, before: TreeRange | undefined): string {
  const cursor = before === undefined ? {} : { cursor: path + before.last };
  return recordsAddress(crawl, { ...(path === "" ? {} : { q: path }), ...cursor });
}

/** A leaf with several URLs has variants that differ in the query: the search uses the part before it. */
function leafAddress(crawl: CrawlView, path: string, { segment, urls }: TreeNode): string {
  return recordsAddress(crawl, { q: urls === 1 ? path + segment : `${path}${segment}?` });
}
