import type { FC } from "hono/jsx";
import type { RecordView } from "../../api/views.ts";
import { bytes, count, duration } from "../../core/shown-values.ts";
import { Pairs } from "../parts/pairs.tsx";

/** What a sound, a film or a picture says about itself. */
export const MediaFacts: FC<{ record: RecordView; media: NonNullable<RecordView["media"]> }> = ({ record, media }) => {
  const { durationS, width, height, bitRate, sampleRate, location } = media;
  const facts = {
    Title: media.title,
    Artist: media.artist,
    Album: media.album,
    Track: media.track,
    Year: media.year,
    Genre: media.genre,
    Caption: media.description,
    Keywords: media.keywords.join(", "),
    Camera: media.camera,
    Taken: media.takenAt,
    Place: location === null ? null : `${location.latitude}, ${location.longitude}`,
    Type: media.type,
    Size: record.bytes === null ? null : bytes(record.bytes),
    Duration: durationS === null ? null : duration(durationS),
    Dimensions: width === null || height === null ? null : `${count(width)} × ${count(height)}`,
    Codec: media.codecs.join(", "),
    "Bit rate": bitRate === null ? null : `${count(Math.round(bitRate / 1_000))} kbit/s`,
    "Sample rate": sampleRate === null ? null : `${count(sampleRate)} Hz`,
    Channels: media.channels,
  };
  return (
    <section class="panel">
      <h2>What the file says about itself</h2>
      <Pairs of={facts} />
      {record.explanation !== null && <p class="muted small">Note: {record.explanation}.</p>}
    </section>
  );
};
