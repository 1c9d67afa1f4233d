import { type ContentFormat, type Document, emptyDocument } from "../document.ts";
import { makeWholeContent } from "../html/article/whole-content.ts";
import { escapeHtml } from "../html/tree/write-html.ts";
import { emptyMetadata } from "../text/plain-content.ts";
import type { MediaFacts } from "./media-facts.ts";

/** Makes a document of what a sound, a film or a picture says about itself: a heading, its caption, a list of facts. */

/** `url`: canonical. `size`: of the file in bytes; null if it is not known. */
export function describeMedia(
  facts: MediaFacts,
  { url, size }: { url: string; size: number | null },
  formats: readonly ContentFormat[],
): Document {
  const { title, artist, description, keywords, type } = facts;
  const stated = {
    ...emptyMetadata(),
    title,
    author: artist,
    description,
    keywords,
    publishedAt: facts.takenAt ?? (facts.year === null ? null : String(facts.year)),
  };
  const lines = listFacts(facts, size).map(([name, value]) => `<li>${name}: ${escapeHtml(value)}</li>`);
  const html = [
    `<h1>${escapeHtml(title ?? fileNameOf(url))}</h1>`,
    description === null ? "" : `<p>${escapeHtml(description)}</p>`,
    `<ul>${lines.join("")}</ul>`,
  ].join("");
  return { ...emptyDocument(type), title, description, content: makeWholeContent(html, url, stated, formats) };
}

/** The facts by their names, for people. */
function listFacts(facts: MediaFacts, size: number | null): [name: string, value: string][] {
  const { artist, album, track, year, genre, durationS, width, height, codecs, bitRate, sampleRate, channels } = facts;
  const { keywords, camera, takenAt, location } = facts;
  const named: [name: string, value: string | number | null][] = [
    ["Artist", artist],
    ["Album", album],
    ["Track", track],
    ["Year", year],
    ["Genre", genre],
    ["Keywords", keywords.join(", ")],
    ["Camera", camera],
    ["Taken", takenAt],
    ["Place", location === null ? null : `${location.latitude}, ${location.longitude}`],
    ["Type", facts.type],
    ["Size", size === null ? null : `${size} bytes`],
    ["Duration", durationS === null ? null : formatDuration(durationS)],
    ["Dimensions", width === null || height === null ? null : `${width} × ${height}`],
    ["Codec", codecs.join(", ")],
    ["Bit rate", bitRate === null ? null : `${Math.round(bitRate / 1_000)} kbit/s`],
    ["Sample rate", sampleRate === null ? null : `${sampleRate} Hz`],
    ["Channels", channels],
  ];
  return named.flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, String(value)]]));
}

/** `1:02:03`, or `2:03` for less than an hour. */
function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const pad = (part: number) => String(part).padStart(2, "0");
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours === 0 ? `${minutes}:${pad(whole % 60)}` : `${hours}:${pad(minutes)}:${pad(whole % 60)}`;
}

function fileNameOf(url: string): string {
  const { pathname, host } = new URL(url);
  const name = pathname.slice(pathname.lastIndexOf("/") + 1);
  if (name === "") return host;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
