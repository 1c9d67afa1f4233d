import type { Command } from "commander";
import type { CrawlView } from "../api/views.ts";
import { UserError } from "./errors.ts";
import { collect, natural } from "./shared-options.ts";

/** The flags of what a browser does on a page before it is read. */

type PageActions = CrawlView["options"]["renderOptions"];

export interface PageActionFlags {
  render?: string;
  waitFor?: string;
  click?: string[];
  scroll?: number;
  dismissBanners?: boolean;
  viewport?: string;
}

export function pageActionOptions(command: Command): Command {
  return command
    .option("--wait-for <selector>", "with --render: a page is drawn when an element matches (10 seconds at most)")
    .option(
      "--click <selector>",
      'with --render: click the elements that match; a single one, such as "load more", again and again; may be repeated',
      collect,
    )
    .option("--scroll <n>", "with --render: scroll to the end up to N times, for lists that load more", natural(1))
    .option("--dismiss-banners", "with --render: close the cookie banners of common consent managers")
    .option("--viewport <width>x<height>", "with --render: size of the window (default: 1280x720)");
}

/** `renderOptions` of the API. Throws UserError. */
export function toRenderOptions(flags: PageActionFlags): Partial<PageActions> | undefined {
  const { waitFor, click, scroll, dismissBanners, viewport } = flags;
  const given = [
    ...(waitFor === undefined ? [] : ["--wait-for"]),
    ...(click === undefined ? [] : ["--click"]),
    ...(scroll === undefined ? [] : ["--scroll"]),
    ...(dismissBanners === undefined ? [] : ["--dismiss-banners"]),
    ...(viewport === undefined ? [] : ["--viewport"]),
  ];
  if (given.length === 0) return undefined;
  if (flags.render === undefined || flags.render === "never")
    throw new UserError(
      `${given.join(", ")} can only be done on pages that are drawn: give --render auto or always too.`,
      2,
    );
  return {
    ...(waitFor === undefined ? {} : { waitFor }),
    ...(click === undefined ? {} : { click }),
    ...(scroll === undefined ? {} : { scroll }),
    ...(dismissBanners === undefined ? {} : { dismissBanners }),
    ...(viewport === undefined ? {} : { viewport: toViewport(viewport) }),
  };
}

function toViewport(written: string): PageActions["viewport"] {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/i.exec(written.trim()) ?? [];
  if (width === undefined || height === undefined)
    throw new UserError(`--viewport ${written} is not WIDTHxHEIGHT, such as 1280x720.`, 2);
  return { width: Number(width), height: Number(height) };
}
