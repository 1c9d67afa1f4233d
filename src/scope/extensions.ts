/** File types that are surely no page, told by a URL's last path segment: a closed list, for guessing wrong loses a page. */

/**
 * Not here: text that may carry links (json, xml, txt, csv), and extensions that are also the ends of names that people write in
 * paths (`/whois/example.com`, `/tools/foo.ai`).
 */
export const NON_PAGE_EXTENSIONS: ReadonlySet<string> = new Set(
  [
    "png jpg jpeg jpe jfif gif webp avif bmp ico svg svgz tif tiff heic heif jxl psd eps cr2 nef dng",
    "mp3 m4a aac ogg oga opus flac wav wma aiff aif mid midi amr",
    "mp4 m4v webm ogv mov avi mkv wmv flv mpg mpeg 3gp 3g2 m2ts swf",
    "zip gz tgz bz2 tbz2 xz txz zst 7z rar tar lz4 lzma cab iso dmg jar war ear whl gem",
    "exe msi msix apk ipa deb rpm pkg bin dll dylib wasm appimage img",
    "woff woff2 ttf otf eot",
    "pdf doc docx docm dotx xls xlsx xlsm xlsb ppt pptx pptm pps ppsx odt ods odp odg rtf epub mobi azw3 djvu vsd vsdx",
    "css js mjs",
    "sqlite db parquet pcap torrent warc arc",
  ].flatMap((line) => line.split(" ")),
);

const LONGEST = Math.max(...Array.from(NON_PAGE_EXTENSIONS, (extension) => extension.length));

/**
 * The extension, in lower case, by which a canonical URL names a file that is no page, else null. The query does not count
 * (`/get?file=a.pdf`), nor does a segment with a colon: `/wiki/File:Photo.jpg` is a wiki's page about the photo.
 */
export function nonPageExtension(url: string): string | null {
  const queryAt = url.indexOf("?");
  const end = queryAt === -1 ? url.length : queryAt;
  const dot = url.lastIndexOf(".", end - 1);
  const length = end - dot - 1;
  if (length === 0 || length > LONGEST) return null;
  const slash = url.lastIndexOf("/", end - 1);
  if (dot < slash) return null;
  const extension = url.slice(dot + 1, end).toLowerCase();
  if (!NON_PAGE_EXTENSIONS.has(extension)) return null;
  const colon = url.indexOf(":", slash);
  return colon !== -1 && colon < dot ? null : extension;
}
