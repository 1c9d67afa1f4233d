import type { FC } from "hono/jsx";
import type { CrawlView } from "../api/views.ts";
import type { TreeLevel, TreeNode } from "../crawl/url-tree.ts";
import { mapAddress, recordsAddress } from "./addresses.ts";
import { bytes, count, plural } from "./numbers.tsx";

/** A level of the tree as a list, which opens level by level: in place where scripts run, on a page of its own where they do not. */

export const TreeList: FC<{ crawl: CrawlView; level: TreeLevel }> = ({ crawl, level }) => {
  const { path, children, rest } = level;
  const most = Math.max(1, ...children.map(({ urls }) => urls));
  return (
    <ul class="tree">
      {children.map((node) => (
        <li>
          {node.isLeaf ? (
            <div class="leaf">
              <Row node={node} most={most} href={leafAddress(crawl, path, node)} />
            </div>
          ) : (
            <details data-level={`/crawls/${crawl.id}/map/level?${new URLSearchParams({ path: path + node.segment })}`}>
              <summary>
                <Row node={node} most={most} />
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
          and {plural(rest.children, "other")}, with {plural(rest.urls, "URL")} and {bytes(rest.bytes)}
        </li>
      )}
    </ul>
  );
};

const Row: FC<{ node: TreeNode; most: number; href?: string }> = ({ node, most, href }) => (
  <span class="node">
    <span class="name">{href === undefined ? nameOf(node) : <a href={href}>{nameOf(node)}</a>}</span>
    <svg class="share" aria-hidden="true">
      <rect width={`${((node.urls / most) * 100).toFixed(1)}%`} height="100%" rx="3" />
    </svg>
    <span class="number">{plural(node.urls, "URL")}</span>
    <span class="counts">
      <span class="number muted">{count(node.completed)} kept</span>
      <span class={node.errored > 0 ? "number errored" : "number muted"}>{count(node.errored)} errored</span>
      <span class="number muted">{bytes(node.bytes)}</span>
    </span>
  </span>
);

/** As people read it. */
export function nameOf({ segment }: Pick<TreeNode, "segment">): string {
  if (segment === "") return "(itself)";
  try {
    return decodeURI(segment).replace(/^https?:\/\/(?=.)/, "");
  } catch {
    return segment;
  }
}

/** URLs that differ in their query alone are found by what they share. */
function leafAddress(crawl: CrawlView, path: string, { segment, urls }: TreeNode): string {
  return recordsAddress(crawl, { q: urls === 1 ? path + segment : `${path}${segment}?` });
}
