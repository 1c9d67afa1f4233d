import type { FC } from "hono/jsx";
import type { CrawlView } from "../api/views.ts";
import type { TreeLevel, TreeNode } from "../crawl/url-tree.ts";
import { mapAddress, recordsAddress } from "./addresses.ts";
import { bytes, count, plural } from "./numbers.tsx";

/** A level of the tree as a list. A branch unfolds in place with scripts, and links to its own page without. */

export const TreeList: FC<{ crawl: CrawlView; level: TreeLevel }> = ({ crawl, level }) => {
  const { path, children, rest } = level;
  const largest = Math.max(1, ...children.map(({ urls }) => urls));
  return (
    <ul class="tree">
      {children.map((node) => (
        <li>
          {node.isLeaf ? (
            <div class="leaf">
              <Row node={node} largest={largest} href={leafAddress(crawl, path, node)} />
            </div>
          ) : (
            <details data-level={`/crawls/${crawl.id}/map/level?${new URLSearchParams({ path: path + node.segment })}`}>
              <summary>
                <Row node={node} largest={largest} />
              </summary>
              <p class="open">
                <a href={mapAddress(crawl.id, path + node.segment)}>Open {nameOf(node)}</a>
              </p>
            </details>
          )}
        </li>
      ))}
      {rest !== null && (
        <li class="leaf muted small">
          {plural(rest.children, "more path")} with {plural(rest.urls, "URL")}, {bytes(rest.bytes)}
        </li>
      )}
    </ul>
  );
};

const Row: FC<{ node: TreeNode; largest: number; href?: string }> = ({ node, largest, href }) => (
  <span class="node">
    <span class="name">{href === undefined ? nameOf(node) : <a href={href}>{nameOf(node)}</a>}</span>
    <svg class="share" aria-hidden="true">
      <rect width={`${((node.urls / largest) * 100).toFixed(1)}%`} height="100%" rx="3" />
    </svg>
    <span class="number">{plural(node.urls, "URL")}</span>
    <span class="counts">
      <span class="number muted">{count(node.completed)} stored</span>
      <span class={node.errored > 0 ? "number errored" : "number muted"}>{count(node.errored)} errored</span>
      <span class="number muted">{bytes(node.bytes)}</span>
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

/** A leaf with several URLs has variants that differ in the query: the search uses the part before it. */
function leafAddress(crawl: CrawlView, path: string, { segment, urls }: TreeNode): string {
  return recordsAddress(crawl, { q: urls === 1 ? path + segment : `${path}${segment}?` });
}
