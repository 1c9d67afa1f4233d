import { DocumentProblem } from "../document-problem.ts";
import { emptyFacts, type MediaFacts } from "./media-facts.ts";
import { type MediaSource, MissingBytes } from "./media-source.ts";
import { recognizeMedia } from "./recognize-media.ts";

/** Reads what a sound, a film or a picture says about itself, by as few of its bytes as possible. */

export interface MediaReading {
  facts: MediaFacts;
  /** Why some facts are missing, for people; null if the file was read to the end of what it says. */
  problem: string | null;
}

const START_BYTES = 4_096;

/**
 * `contentType`: the header's value. What is broken in the file is a `problem`, and the facts before it stand. Throws
 * DocumentProblem for what is no sound, film or picture. A source that lacks bytes notes it, and the reading is to be
 * repeated; where there will be no more bytes, the reading stands.
 */
export async function readMedia(source: MediaSource, contentType: string | null): Promise<MediaReading> {
  const start = await source.readKnown(0, START_BYTES);
  const type = recognizeMedia(start, contentType);
  if (type === null) throw new DocumentProblem("damaged", "it is no sound, film or picture");
  try {
    const { facts, fault } = await readByType(source, type);
    return { facts, problem: fault };
  } catch (error) {
    if (error instanceof MissingBytes) return { facts: emptyFacts(type), problem: error.message };
    return { facts: emptyFacts(type), problem: error instanceof Error ? error.message : String(error) };
  }
}

async function readByType(source: MediaSource, type: string): Promise<{ facts: MediaFacts; fault: string | null }> {
  if (type.startsWith("image/")) return (await import("./read-picture.ts")).readPicture(source, type);
  return (await import("./read-sound.ts")).readSound(source, type);
}
