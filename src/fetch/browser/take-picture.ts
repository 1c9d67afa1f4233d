import type { Viewport } from "../../crawl/page/page-actions.ts";
import type { DrawnView } from "./drawing.ts";
import type { Tab } from "./tab.ts";

/** Takes a picture of a drawn page. */

/** A longer page is cut: what follows is rarely looked at, and an endless one has no end. In pixels. */
const MAX_HEIGHT = 4_000;
/**
 * Of 100: text stays sharp. 30 pages of Debian's handbook took 64 to 869 kB, 302 kB in the median. WebP took 40% less,
 * but more time of the browser to encode, which costs more than storage.
 */
const QUALITY = 75;
/** A larger picture is taken again of the viewport alone. In bytes. */
const MAX_PICTURE_BYTES = 2 * 1024 * 1024;
/** Characters. */
const MAX_TEXT = 1_000_000;

/** Time for answers that have come to be shown, in milliseconds. */
const PICTURE_SETTLING_MS = 1_500;

/** Waits for images and fonts whose answers have come. Images below that nobody has scrolled to never do. */
const SETTLE = `new Promise((resolve) => {
  setTimeout(resolve, ${PICTURE_SETTLING_MS});
  const shown = (image) => new Promise((done) => { for (const end of ["load", "error"]) image.addEventListener(end, done); });
  const late = [...document.images].filter((image) => !image.complete && image.loading !== "lazy");
  Promise.all([...late.map(shown), document.fonts.ready]).then(resolve);
}).then(() => true)`;

const MEASURE = `({
  height: Math.max(document.documentElement?.scrollHeight ?? 0, document.body?.scrollHeight ?? 0),
  text: (document.body?.innerText ?? "").slice(0, ${MAX_TEXT}),
})`;

/** Throws if the browser fails, or the picture is too large. */
export async function takePicture(tab: Tab, viewport: Viewport): Promise<DrawnView> {
  await tab.run(SETTLE);
  const { height, text } = (await tab.run(MEASURE)) as { height: number; text: string };
  const full = Math.min(MAX_HEIGHT, Math.max(viewport.height, Math.ceil(height)));
  const heights = full === viewport.height ? [full] : [full, viewport.height];
  for (const each of heights) {
    const clip = { x: 0, y: 0, width: viewport.width, height: each, scale: 1 };
    const captureBeyondViewport = each > viewport.height;
    const asked = { format: "jpeg", quality: QUALITY, clip, captureBeyondViewport } as const;
    const picture = Buffer.from((await tab.send("Page.captureScreenshot", asked)).data, "base64");
    // A copy: a Buffer does not go between invocations.
    if (picture.byteLength <= MAX_PICTURE_BYTES) return { picture: new Uint8Array(picture), text };
  }
  throw new Error(`the picture has more than ${MAX_PICTURE_BYTES.toLocaleString("en")} bytes`);
}
