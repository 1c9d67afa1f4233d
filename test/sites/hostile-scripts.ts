/**
 * Pages whose scripts flood whoever draws them, fill the memory of the browser or never come to an end. All are short
 * as the server sends them.
 */

/** It may be drawn before its harm shows. */
export const EITHER = "completed null or errored too-complex";

interface HostileScript {
  /**
   * The expected status and reason of its record, when a browser draws it. A page that harms nobody is completed, with
   * the title "drawn".
   */
  outcome: "completed null" | "errored too-complex" | typeof EITHER;
  body: string;
}

const page = (script: string) =>
  `<!doctype html><title>plain</title><div id=root></div><p>Words that the server sends, before a script has run.</p>
<script>const root = document.getElementById("root");
const times = (count, work) => { for (let at = 0; at < count; at++) work(at); };
const frameOf = () => { const frame = document.createElement("iframe"); root.append(frame); return frame; };
${script}
root.append(" Words that a script brings, so that drawing the page is worth it.".repeat(5)); document.title = "drawn";</script>`;

const harmless = (script: string): HostileScript => ({ outcome: "completed null", body: page(script) });
const either = (script: string): HostileScript => ({ outcome: EITHER, body: page(script) });
const harmful = (script: string): HostileScript => ({ outcome: "errored too-complex", body: page(script) });

export const HOSTILE_SCRIPTS: Record<string, HostileScript> = {
  // Nothing of this leaves the browser. More fetches than a page may cause events, and no more: a slow machine has time
  // for these beside pages that take all of it.
  "data-fetches": harmless('times(11_000, (at) => fetch("data:text/plain," + at));'),
  "data-requests": harmless(`times(5_000, (at) => {
    const request = new XMLHttpRequest(); request.open("GET", "data:text/plain," + at, false); request.send(); });`),
  "data-images": harmless(
    'times(5_000, () => { new Image().src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=" + "A".repeat(1_000); });',
  ),
  "blob-fetches": harmless('const url = URL.createObjectURL(new Blob(["x"])); times(5_000, () => fetch(url));'),
  "console-flood": harmless('times(20_000, (at) => console.log(at, "x".repeat(10_000)));'),
  "console-megabytes": harmless('times(5, () => console.error("x".repeat(40_000_000)));'),
  "errors-flood": harmless('times(20_000, (at) => setTimeout(() => { throw new Error("x".repeat(1_000) + at); }));'),
  "title-flood": harmless('times(50_000, (at) => { document.title = "title " + at; });'),
  "history-flood": harmless('times(20_000, (at) => { try { history.pushState(0, "", "/at/" + at); } catch {} });'),
  "dialogs-flood": harmless('times(500, () => { alert("stop"); confirm("stop"); prompt("stop"); });'),
  "popups-flood": harmless(`times(500, (at) => { const link = document.createElement("a"); link.target = "_blank";
    link.href = "/popup/" + at; root.append(link); link.click(); open("/popup/" + at); });`),
  "workers-flood": harmless(`const url = URL.createObjectURL(new Blob(["for (;;);"]));
    for (const from of [globalThis, frameOf().contentWindow])
      times(200, () => { try { new from.Worker(url); } catch {} try { new from.SharedWorker(url); } catch {} });`),
  "sockets-flood": harmless(`times(1_000, (at) => {
    try { new WebSocket("ws://127.0.0.1:9/" + at); } catch {} try { new EventSource("/events/" + at); } catch {} });`),
  "cookies-flood": harmless('times(5_000, (at) => { document.cookie = "c" + at + "=" + "x".repeat(3_000); });'),

  // Too much crosses, or would.
  "requests-flood": harmful('times(20_000, (at) => fetch("/asked/" + at).catch(() => {}));'),
  "images-flood": harmful('times(20_000, (at) => { new Image().src = "/asked/" + at + ".png"; });'),
  "requests-long": harmful('times(100, (at) => fetch("/asked/" + at + "x".repeat(1_900_000)).catch(() => {}));'),
  "headers-long": either('fetch("/asked", { headers: { a: "x".repeat(20_000_000) } }).catch(() => {});'),
  "post-megabytes": either('fetch("/asked", { method: "POST", body: "x".repeat(5_000_000) }).catch(() => {});'),
  // Larger than a message that the connection to the browser takes.
  "post-beyond": either('fetch("/asked", { method: "POST", body: "x".repeat(20_000_000) }).catch(() => {});'),
  "frames-flood": either("times(20_000, () => frameOf());"),
  "frame-data-megabytes": harmful('frameOf().src = "data:text/html," + "x".repeat(20_000_000);'),
  "html-megabytes": harmful('times(30, (at) => { root.append("x".repeat(1_000_000) + at); });'),
  "html-escaped": harmful('root.append("&<>".repeat(3_400_000));'),
  "html-in-shadow": harmful(
    'root.attachShadow({ mode: "open" }).innerHTML = "<p>" + "x".repeat(12_000_000); root.shadowRoot.append("y");',
  ),
  "attributes-megabytes": harmful('times(40, (at) => root.setAttribute("a" + at, "x".repeat(500_000)));'),
  "title-megabytes": {
    outcome: "errored too-complex",
    body: page('root.append("x");').replace('"drawn"', '"x".repeat(500_000_000)'),
  },

  // Too much memory.
  "links-megabytes": harmful(`times(2_000, (at) => { const link = document.createElement("a");
    link.href = "/" + "x".repeat(1_900_000) + at; link.append("link"); root.append(link); });`),
  "memory-loop": harmful("const held = []; for (;;) held.push(new Uint8Array(1_000_000).fill(1));"),
  "memory-objects": harmful("const held = []; for (;;) held.push({ at: held.length, more: [held.length] });"),
  "memory-steps": harmful(
    "const held = []; setInterval(() => { held.push(new Uint8Array(20_000_000).fill(1)); root.append(held.length); }, 10);",
  ),
  "memory-frames": harmful(
    `frameOf().srcdoc = "<script>const held = []; for (;;) held.push(new Uint8Array(1e6).fill(1));<" + "/script>";`,
  ),
  "memory-canvases": harmful(`const held = []; times(200, () => { const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 4_000; canvas.getContext("2d").fillRect(0, 0, 4_000, 4_000); held.push(canvas); });
    globalThis.held = held;`),
  "memory-blobs": harmful(
    "globalThis.held = []; const part = new Uint8Array(50_000_000).fill(1); times(60, () => held.push(new Blob([part])));",
  ),

  // Never at an end.
  "endless-loop": harmful("for (;;);"),
  "endless-later": harmful('addEventListener("load", () => setTimeout(() => { for (;;); }, 20));'),
  "endless-microtasks": harmful("const again = () => Promise.resolve().then(again); again();"),
  "endless-frame": harmful('frameOf().srcdoc = "<script>for (;;);<" + "/script>";'),
  "endless-expression": harmful('/^(a+)+$/.test("a".repeat(100) + "b");'),
};
