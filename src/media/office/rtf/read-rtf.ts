import { DocumentProblem } from "../../document-problem.ts";
import { pageDate } from "../../html/facts/page-date.ts";
import { DocumentWriter } from "../../html/tree/document-writer.ts";
import { tidy } from "../../html/tree/tidy.ts";
import type { WrittenDocument } from "../../html/tree/written-document.ts";
import { emptyMetadata } from "../../text/plain-content.ts";
import { splitKeywords } from "../ooxml/ooxml-package.ts";
import { RtfBody } from "./rtf-body.ts";
import { readRtfTokens } from "./rtf-tokens.ts";

const MAX_TEXT = 1_000;

// No kept package reads RTF in a Worker: those of npm are unmaintained or need Node's streams.
export function readRtf(bytes: Uint8Array): WrittenDocument {
  const writer = new DocumentWriter();
  const body = new RtfBody(writer);
  const isWhole = readRtfTokens(bytes, body);
  body.finish();
  const html = writer.finish();
  if (!isWhole && html === "") throw new DocumentProblem("damaged", "it breaks off before its text");
  const said = (name: string) => tidy(body.info.get(name) ?? "", MAX_TEXT) || null;
  const metadata = {
    ...emptyMetadata(),
    title: said("title"),
    author: said("author"),
    description: said("doccomm") ?? said("subject"),
    keywords: splitKeywords(body.info.get("keywords") ?? ""),
    publishedAt: pageDate(said("creatim") ?? ""),
    modifiedAt: pageDate(said("revtim") ?? ""),
    ...(body.pageCount === null ? {} : { pageCount: body.pageCount }),
  };
  const problem = isWhole ? null : "it breaks off before its end";
  return { type: "application/rtf", encoding: "", html, metadata, truncated: writer.truncated, problem };
}
