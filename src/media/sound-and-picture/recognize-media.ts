import { essenceOf } from "../../core/media-type.ts";
import { findSignature, type Signature } from "../kind/sniff.ts";

/** Finds out what kind of file it is by its first bytes, because servers often name another type. */

/** The first that fits counts. Brands of ISO base media files: https://mp4ra.org/registered-types/brands */
const SIGNATURES: readonly Signature[] = [
  ["image/png", [0, "\x89PNG\r\n\x1a\n"]],
  ["image/gif", [0, "GIF87a"]],
  ["image/gif", [0, "GIF89a"]],
  ["image/jpeg", [0, "\xff\xd8\xff"]],
  ["image/webp", [0, "RIFF"], [8, "WEBP"]],
  ["image/bmp", [0, "BM"], [6, "\0\0\0\0"]],
  ["image/tiff", [0, "II*\0"]],
  ["image/tiff", [0, "MM\0*"]],
  ["image/x-icon", [0, "\0\0\x01\0"]],
  ["image/jxl", [0, "\0\0\0\x0cJXL \r\n\x87\n"]],
  ["image/jxl", [0, "\xff\x0a"]],
  ["image/avif", [4, "ftypavi"]],
  ["image/heic", [4, "ftyphe"]],
  ["image/heif", [4, "ftypmif1"]],
  ["image/heif", [4, "ftypmsf1"]],
  ["video/quicktime", [4, "ftypqt"]],
  ["audio/mp4", [4, "ftypM4A"]],
  ["audio/mp4", [4, "ftypM4B"]],
  ["video/mp4", [4, "ftyp"]],
  ["video/quicktime", [4, "moov"]],
  ["video/quicktime", [4, "wide"]],
  ["audio/mpeg", [0, "ID3"]],
  ["audio/flac", [0, "fLaC"]],
  ["audio/ogg", [0, "OggS\0"]],
  ["audio/wav", [0, "RIFF"], [8, "WAVE"]],
  ["video/x-msvideo", [0, "RIFF"], [8, "AVI "]],
  ["audio/aiff", [0, "FORM"], [8, "AIF"]],
  ["video/webm", [0, "\x1a\x45\xdf\xa3"]],
  ["video/x-ms-asf", [0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11"]],
  ["audio/aac", [0, "\xff\xf1"]],
  ["audio/aac", [0, "\xff\xf9"]],
];

/** The types that the bytes of a file show. */
export const SIGNED_TYPES: ReadonlySet<string> = new Set(SIGNATURES.map(([type]) => type));

const SVG = /^\ufeff?(?:\s|<\?[^>]*>|<!--(?:(?!-->)[\s\S])*-->|<!doctype[^>[]*(?:\[[^\]]*\][^>]*)?>)*<svg[\s>]/i;
const SVG_START = 4_096;

/**
 * The media type by the bytes of its beginning, else the server's if that is a sound, a film or a picture, else null.
 * `contentType`: the header's value.
 */
export function recognizeMedia(start: Uint8Array, contentType: string | null): string | null {
  const signed = findSignature(start, SIGNATURES) ?? (isMpegFrame(start) ? "audio/mpeg" : null);
  if (signed !== null) return signed;
  if (SVG.test(new TextDecoder().decode(start.subarray(0, SVG_START)))) return "image/svg+xml";
  return isMediaType(contentType) ? essenceOf(contentType) : null;
}

/** Whether a type is that of a sound, a film or a picture. `contentType`: the header's value. */
export function isMediaType(contentType: string | null): boolean {
  return /^(?:audio|video|image)\//.test(essenceOf(contentType));
}

/** The header of a frame of MPEG audio: eleven bits of sync, a known version, a layer, a bit rate and a sample rate. */
function isMpegFrame([sync = 0, kind = 0, rates = 0]: Uint8Array): boolean {
  const isKind = (kind & 0xe0) === 0xe0 && (kind & 0x18) !== 0x08 && (kind & 0x06) !== 0;
  return sync === 0xff && isKind && rates >> 4 !== 0 && rates >> 4 !== 15 && (rates & 0x0c) !== 0x0c;
}
