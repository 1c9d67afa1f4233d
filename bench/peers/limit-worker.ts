import { DOMParser } from "linkedom/worker";
import { limitWorker } from "./limit-loop.ts";

const parser = new DOMParser();

export default limitWorker((html) =>
  [...parser.parseFromString(html, "text/html").querySelectorAll("a[href]")].map((a) => a.getAttribute("href")),
);
