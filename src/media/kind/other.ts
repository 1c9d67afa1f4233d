import { type Document, emptyDocument, type Reader } from "../document.ts";
import type { Signature } from "./sniff.ts";

/** Files in which nothing is read, such as images and archives. */

export const readNothing: Reader<Document> = () => emptyDocument("application/octet-stream");

/** https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern, the sections after it, and 7-Zip. */
export const OTHER_SIGNATURES: readonly Signature[] = [
  ["image/png", [0, "\x89PNG\r\n\x1a\n"]],
  ["image/gif", [0, "GIF87a"]],
  ["image/gif", [0, "GIF89a"]],
  ["image/jpeg", [0, "\xff\xd8\xff"]],
  ["image/webp", [0, "RIFF"], [8, "WEBPVP"]],
  ["application/zip", [0, "PK\x03\x04"]],
  ["application/gzip", [0, "\x1f\x8b\x08"]],
  ["application/x-rar-compressed", [0, "Rar!\x1a\x07"]],
  ["application/x-7z-compressed", [0, "7z\xbc\xaf\x27\x1c"]],
  ["video/mp4", [0, "\0\0"], [4, "ftyp"]],
  ["video/webm", [0, "\x1a\x45\xdf\xa3"]],
  ["application/ogg", [0, "OggS\0"]],
];

/** Pictures, sounds and films. */
export const MEDIA_EXTENSIONS: readonly string[] = [
  "png jpg jpeg jpe jfif gif webp avif bmp ico svg svgz tif tiff heic heif jxl psd eps cr2 nef dng",
  "mp3 m4a aac ogg oga opus flac wav wma aiff aif mid midi amr",
  "mp4 m4v webm ogv mov avi mkv wmv flv mpg mpeg 3gp 3g2 m2ts swf",
].flatMap((line) => line.split(" "));

/**
 * Missing here are text formats that may hold links (json, xml, txt, csv), and extensions that also end names that
 * people write in paths (`/whois/example.com`, `/tools/foo.ai`): a wrong guess loses a page.
 */
export const OTHER_EXTENSIONS: readonly string[] = [
  ...MEDIA_EXTENSIONS,
  "zip gz tgz bz2 tbz2 xz txz zst 7z rar tar lz4 lzma cab iso dmg jar war ear whl gem",
  "exe msi msix apk ipa deb rpm pkg bin dll dylib wasm appimage img",
  "woff woff2 ttf otf eot",
  // The formats of Office before 2007 hold no XML, and have no reader.
  "doc dot xls xlt xlsb ppt pps pot odg mobi azw3 djvu vsd vsdx",
  "js mjs",
  "sqlite db parquet pcap torrent warc arc",
].flatMap((line) => line.split(" "));
