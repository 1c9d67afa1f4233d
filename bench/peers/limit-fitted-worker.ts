import { parseHtml } from "../../src/media/html/tree/linkedom.ts";
import { limitWorker } from "./limit-loop.ts";

export default limitWorker((html) =>
  parseHtml(html).all.flatMap((element) => (element.localName === "a" ? [element.getAttribute("href")] : [])),
);
