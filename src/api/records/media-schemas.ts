import * as z from "zod";
import { objectOf } from "../requests/fields.ts";

/** What a sound, a film or a picture says about itself, as the API answers it. */

const text = z.string().nullable();
const number = z.number().nullable();
const whole = z.int().nullable();

export const mediaView = objectOf({
  type: z.string().describe("The media type by its first bytes; the server's if they do not show it."),
  durationS: number.describe("Duration in seconds."),
  width: number.describe("Width in pixels, before any rotation."),
  height: number.describe("Height in pixels, before any rotation."),
  codecs: z.array(z.string()).describe("The names of its codecs."),
  bitRate: whole.describe("Bits per second: of the sound, or of the whole file if it is a film."),
  sampleRate: whole.describe("Samples per second."),
  channels: whole.describe("Channels of sound. null also for MP4, which does not say it where it is read."),
  title: text.describe("The title."),
  artist: text.describe("The artist, or the author of a picture."),
  album: text.describe("The album."),
  year: whole.describe("The year."),
  track: whole.describe("The number of the track."),
  genre: text.describe("The genre."),
  description: text.describe("A caption or a comment."),
  keywords: z.array(z.string()).describe("Keywords, each once."),
  camera: text.describe("Maker and model of the camera."),
  takenAt: text.describe("When the picture was taken: ISO 8601, in the camera's local time."),
  location: objectOf({
    latitude: z.number().describe("Degrees north."),
    longitude: z.number().describe("Degrees east."),
  })
    .nullable()
    .describe("Where the picture was taken. It may be somebody's home."),
});
