import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FLAGS } from "../../src/cli/machine/browser-script.ts";
import { ROUTES, startScriptSite, wordsOf } from "../sites/script-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { crawl } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** Pages that a real browser draws, behind the gates, and what a hostile page can reach: nothing. */

const browser = findBrowser("the rendering of pages");
const shared = shareServer();
const ARGS = ["--render", "always", "--delay", "0", "--markdown"];

async function added(site: Promise<Site>): Promise<Site> {
  shared.sites.push(await site);
  return site;
}

describe.skipIf(browser === undefined)("a rendered page", () => {
  test("brings the text and the links that its scripts draw, and keeps its answer", async () => {
    const site = await added(startScriptSite());
    const folder = join(shared.dir.path, "scripts");
    const { summary, byUrl } = await crawl(folder, `${site.origin}/`, ...ARGS, ...shared.served.remote);
    expect(summary).toMatchObject({ completed: ROUTES.length, errored: 0 });
    for (const route of ROUTES) {
      const record = byUrl.get(`${site.origin}${route}`);
      expect(record).toMatchObject({ status: "completed", title: `Route ${route}` });
      expect(readFileSync(join(folder, "out", record?.markdownFile ?? ""), "utf8")).toContain(wordsOf(route));
      expect(readFileSync(join(folder, "out", record?.file ?? ""), "utf8")).toContain("<title>Loading</title>");
      // The document is asked for once, by the page fetcher.
      expect(site.counts().get(route)).toBe(1);
    }
    expect(site.connectionsPeak()).toBe(1);
  });

  test("has what its shadow roots and its own frames show, and where its scripts want to lead", async () => {
    const pages: Record<string, string> = {
      "/": `<title>Parts</title><p>Words of the page itself, before anything else of it is drawn.</p><my-box>Slotted words</my-box>
        <iframe src="/frame"></iframe>
        <script>
          customElements.define("my-box", class extends HTMLElement {
            connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<p>Words of a shadow root, around <slot></slot>, as a reader sees them.</p>"; }
          });
          addEventListener("load", () => { location.href = "/elsewhere"; });
        </script>`,
      "/frame": "<p>Words of a frame of the same origin, which belong to the page.</p>",
      "/elsewhere": "<title>Elsewhere</title><p>A page to which only a script leads.</p>",
    };
    const site = await added(
      startSite((request, response) => {
        const page = pages[request.url ?? ""];
        response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html" }).end(page);
      }),
    );
    const folder = join(shared.dir.path, "parts");
    const { byUrl } = await crawl(folder, `${site.origin}/`, ...ARGS, "--source", "links", ...shared.served.remote);
    const markdown = readFileSync(join(folder, "out", byUrl.get(`${site.origin}/`)?.markdownFile ?? ""), "utf8");
    expect(markdown).toContain("Words of a shadow root, around Slotted words, as a reader sees them.");
    expect(markdown).toContain("Words of a frame of the same origin");
    expect(byUrl.get(`${site.origin}/elsewhere`)).toMatchObject({ status: "completed", title: "Elsewhere" });
  });
});

describe.skipIf(browser === undefined)("requests to other hosts", () => {
  test("go through their own gates: robots.txt first, one at a time, and a rest after the page", async () => {
    const script = "document.body.append('Words from ' + document.currentScript.src.split('/').pop() + '. ');";
    const other = await added(
      startSite(
        (request, response) => {
          if (request.url === "/robots.txt") return void response.end("User-agent: *\nDisallow: /private\n");
          if (!request.url?.endsWith(".js")) return void response.writeHead(404).end();
          response.setHeader("cache-control", "no-store").setHeader("content-type", "text/javascript").end(script);
        },
        { host: "127.0.0.3", delayMs: 20 },
      ),
    );
    const scripts = ["a.js", "b.js", "private/c.js"].map((name) => `<script src="${other.origin}/${name}"></script>`);
    const site = await added(
      startSite((request, response) => {
        const isPage = request.url === "/" || request.url === "/next";
        response.writeHead(isPage ? 200 : 404, { "content-type": "text/html" });
        response.end(
          isPage ? `<title>Own</title><a href="/next">next</a><p>Words of its own.</p>${scripts.join("")}` : "",
        );
      }),
    );
    const folder = join(shared.dir.path, "hosts");
    // A slow answer of the other host makes it rest for no longer.
    const args = ["--render", "always", "--delay", "0.3", "--delay-factor", "0", "--markdown", "--source", "links"];
    // A seed of the other host makes it one of the crawl's: no page reaches other private addresses.
    const seeds = [`${site.origin}/`, `${other.origin}/none`];
    const { byUrl } = await crawl(folder, ...seeds, ...args, ...shared.served.remote);
    const texts = ["/", "/next"].map((path) => {
      const file = byUrl.get(`${site.origin}${path}`)?.markdownFile ?? "";
      return readFileSync(join(folder, "out", file), "utf8");
    });
    // The lane of the other seed may hold the host for longer than the first page waits: then it is drawn again.
    for (const text of texts) {
      expect(text).toContain("Words from a.js. Words from b.js.");
      expect(text).not.toContain("c.js");
    }
    const [robots, ...asked] = other.log.filter(({ path }) => path !== "/none");
    expect(robots?.path).toBe("/robots.txt");
    expect(asked.map(({ path }) => path)).toEqual(["/a.js", "/b.js", "/a.js", "/b.js"]);
    expect(other.connectionsPeak()).toBe(1);
    const [, firstEnd, secondStart] = asked;
    expect((secondStart?.startedAt ?? 0) - (firstEnd?.finishedAt ?? 0)).toBeGreaterThanOrEqual(300);
  });
});

describe.skipIf(browser === undefined)("a hostile page", () => {
  let connections = 0;
  let trap: Server;
  beforeAll(async () => {
    trap = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(0, "0.0.0.0", resolve));
  });
  afterAll(() => {
    trap.close();
  });

  test("reaches nothing but what the crawler asks for in its place", async () => {
    const { port } = trap.address() as AddressInfo;
    const at = (host: string) => `${host}:${port}`;
    const hosts = ["localhost", "127.0.0.1", "127.0.0.2", "[::1]"].map(at);
    const html = `<!doctype html><title>Hostile</title>
      <link rel=preconnect href="http://${hosts[1]}/"><link rel=dns-prefetch href="//${hosts[0]}">
      <link rel=prefetch href="/prefetched"><link rel=manifest href="/manifest.json"><link rel=icon href="/icon.png">
      <link rel=modulepreload href="http://${hosts[1]}/m.js"><link rel=stylesheet href="/style.css">
      <script type=speculationrules>{"prerender":[{"source":"list","urls":["/prerendered"]}]}</script>
      <img src="/picture.png"><img src="http://${hosts[1]}/p.png"><video src="/film.mp4" autoplay></video>
      <iframe src="http://${hosts[1]}/frame"></iframe><object data="http://${hosts[1]}/o"></object>
      <form id=f method=post action="/posted"><input name=a value=b></form>
      <p id=text>It says what it is for long enough to be read as a text by anyone who comes along.</p>
      <script>
        const tries = [];
        const attempt = (work) => { try { tries.push(Promise.resolve(work()).catch(() => {})); } catch {} };
        for (const host of ${JSON.stringify(hosts)}) {
          attempt(() => fetch("http://" + host + "/fetched"));
          attempt(() => fetch("http://" + host + "/posted", { method: "POST", mode: "no-cors", body: "x" }));
          attempt(() => new WebSocket("ws://" + host + "/socket"));
          attempt(() => new EventSource("http://" + host + "/events"));
          attempt(() => navigator.sendBeacon("http://" + host + "/beacon", "x"));
          attempt(() => new WebTransport("https://" + host + "/transport"));
          attempt(() => window.open("http://" + host + "/popup"));
          attempt(() => new RTCPeerConnection({ iceServers: [{ urls: "stun:" + host }] }).createDataChannel("x"));
          attempt(() => import("http://" + host + "/module.js"));
        }
        const frame = document.createElement("iframe");
        document.body.append(frame);
        attempt(() => new frame.contentWindow.WebSocket("ws://${hosts[1]}/socket"));
        attempt(() => new Worker(URL.createObjectURL(new Blob(["new WebSocket('ws://${hosts[1]}/w'); fetch('http://${hosts[1]}/w')"]))));
        attempt(() => new SharedWorker("/shared-worker.js"));
        attempt(() => navigator.serviceWorker.register("/service-worker.js"));
        attempt(() => fetch("/private/by-fetch"));
        attempt(() => fetch("/leads-to-private"));
        attempt(() => fetch("/leads-to-trap"));
        attempt(() => fetch("/changes", { method: "POST", body: "x" }));
        attempt(() => alert("stop"));
        attempt(() => confirm("stop"));
        attempt(() => document.getElementById("f").submit());
        const link = document.createElement("a");
        link.href = "/download.zip"; link.download = "x.zip"; document.body.append(link); link.click();
        Promise.all(tries).then(() => { document.getElementById("text").append(" All was tried."); });
      </script>`;
    const site = await added(
      startSite((request, response) => {
        const answers: Record<string, () => void> = {
          "/robots.txt": () => response.end("User-agent: *\nDisallow: /private\n"),
          "/": () => response.setHeader("content-type", "text/html").end(html),
          "/style.css": () =>
            response
              .setHeader("content-type", "text/css")
              .end(`@import url("http://${hosts[1]}/a.css"); body { background: url("http://${hosts[1]}/b.png") }`),
          "/leads-to-private": () => response.writeHead(302, { location: "/private/by-redirect" }).end(),
          "/leads-to-trap": () => response.writeHead(302, { location: `http://${hosts[1]}/by-redirect` }).end(),
        };
        (answers[request.url ?? ""] ?? (() => response.writeHead(404).end()))();
      }),
    );
    const folder = join(shared.dir.path, "hostile");
    const args = [...ARGS, "--limit", "1", "--source", "links"];
    const { byUrl } = await crawl(folder, `${site.origin}/`, ...args, ...shared.served.remote);
    const record = byUrl.get(`${site.origin}/`);
    expect(record).toMatchObject({ status: "completed", title: "Hostile" });
    expect(readFileSync(join(folder, "out", record?.markdownFile ?? ""), "utf8")).toContain("All was tried.");
    expect(connections).toBe(0);
    const paths = [...new Set(site.log.map(({ method, path }) => `${method} ${path}`))].sort();
    expect(paths).toEqual([
      "GET /",
      "GET /leads-to-private",
      "GET /leads-to-trap",
      "GET /robots.txt",
      "GET /style.css",
    ]);
  });
});

describe.skipIf(browser === undefined)("the browser", () => {
  test("reaches no host by its flags alone, without interception", async () => {
    let reached = 0;
    const tcp = createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => tcp.listen(0, "127.0.0.1", resolve));
    const { port } = tcp.address() as AddressInfo;
    const udp = createSocket("udp4").on("message", () => {
      reached += 1;
    });
    await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
    const at = `127.0.0.1:${port}`;
    const page = join(shared.dir.path, "door.html");
    writeFileSync(
      page,
      `<link rel=preconnect href="http://${at}"><img src="http://${at}/i.png"><iframe src="http://${at}/f"></iframe><script>
        const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:${at}" }] });
        peer.createDataChannel("x");
        peer.createOffer().then((offer) => peer.setLocalDescription(offer));
        for (const ask of [() => fetch("http://${at}/"), () => fetch("http://localhost:${port}/"),
          () => new WebSocket("ws://${at}"), () => navigator.sendBeacon("http://${at}/b"),
          () => new Worker(URL.createObjectURL(new Blob(["new WebSocket('ws://${at}/w')"])))]) { try { ask(); } catch {} }
      </script>`,
    );
    const profile = `--user-data-dir=${join(shared.dir.path, "door")}`;
    const usual = ["--headless=new", "--no-sandbox", profile, "--virtual-time-budget=3000", "--dump-dom"];
    execFileSync(browser ?? "", [...usual, ...FLAGS, `file://${page}`], { stdio: "ignore" });
    expect(reached).toBe(0);
    tcp.close();
    udp.close();
  });
});
