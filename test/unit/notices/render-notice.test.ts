import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { READY_FORMATS, type TemplateStyle } from "../../../src/crawl/watch/notice-style.ts";
import { findTemplateProblem } from "../../../src/notices/fill-template.ts";
import { renderNotice } from "../../../src/notices/render-notice.ts";

/** Notices in the forms of services, and in templates of users. */

const style = (format: TemplateStyle["format"], more: Partial<TemplateStyle> = {}): TemplateStyle => ({
  format,
  template: null,
  headers: {},
  from: "Watch <watch@a.test>",
  to: ["me@b.test", "you@b.test"],
  ...more,
});
const own = (template: string, headers: Record<string, string> = {}) => style("template", { template, headers });

const change = (after: string, more = {}) => {
  const words = [{ before: "Version 4.1", after }];
  const page = {
    seq: 7,
    kind: "changed",
    url: "https://a.test/x",
    target: null,
    at: "",
    title: "Install",
    detail: null,
  };
  return { ...page, words, wordsLeftOut: 0, ...more };
};
const noticeOf = (changes: object[]) => ({
  id: "msg_1",
  body: JSON.stringify({ type: "pages.changed", timestamp: "2026-11-26T07:00:00.000Z", data: { crawl: "c", changes } }),
});
const TEXT = "Changed: Install\nhttps://a.test/x\n- Version 4.1\n+ Version 4.2";

describe("a ready form", () => {
  test.each([
    ["slack", { text: `*Changed: Install*\n${TEXT}`, unfurl_links: false }],
    ["discord", { content: `**Changed: Install**\n${TEXT}`, allowed_mentions: { parse: [] } }],
    [
      "postmark",
      { From: "Watch <watch@a.test>", To: "me@b.test, you@b.test", Subject: "Changed: Install", TextBody: TEXT },
    ],
    [
      "resend",
      { from: "Watch <watch@a.test>", to: ["me@b.test", "you@b.test"], subject: "Changed: Install", text: TEXT },
    ],
  ] as const)("of %s", (format, expected) => {
    const { headers, body } = renderNotice(noticeOf([change("Version 4.2")]), style(format));
    expect(JSON.parse(body)).toEqual(expected);
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["idempotency-key"]).toBe(format === "resend" ? "msg_1" : undefined);
  });

  test("counts pages, and says once which words changed with a value", () => {
    const value = change("Version 4.2", { seq: 8, fields: [{ name: "version", before: 4.1, after: 4.2 }] });
    const other = change("Version 4.2", { seq: 9, url: "https://a.test/y" });
    const text = (...changes: object[]) => JSON.parse(renderNotice(noticeOf(changes), style("slack")).body).text;
    const valued = `${TEXT}\n\nChanged: Install\nhttps://a.test/x\nversion: 4.1 -&gt; 4.2`;
    expect(text(change("Version 4.2"), value)).toBe(`*Changed: Install*\n${valued}`);
    expect(text(change("Version 4.2"), value, other)).toBe(
      `*2 pages of a.test have changed*\n${valued}\n\n${TEXT.replace("/x", "/y")}`,
    );
    expect(text(value)).toContain("4.2\n- Version 4.1\n+ Version 4.2");
  });

  test("of Teams, ntfy and Mailgun", () => {
    const notice = noticeOf([change("Version 4.2")]);
    const card = JSON.parse(renderNotice(notice, style("teams")).body);
    expect(card.attachments[0].content.body[1].text).toBe(TEXT);
    expect(renderNotice(notice, style("ntfy"))).toEqual({
      headers: { "content-type": "text/plain; charset=utf-8" },
      body: `Changed: Install\n\n${TEXT}`,
    });
    const form = new URLSearchParams(renderNotice(notice, style("mailgun")).body);
    expect(Object.fromEntries(form)).toMatchObject({
      to: "me@b.test, you@b.test",
      subject: "Changed: Install",
      text: TEXT,
    });
  });

  test("mentions nobody, whatever a page says", () => {
    const notice = noticeOf([change("<!channel> <https://evil.test|Log in> & *bold* @everyone")]);
    expect(JSON.parse(renderNotice(notice, style("slack")).body).text).toContain(
      "+ &lt;!channel&gt; &lt;https://evil.test|Log in&gt; &amp; *bold*",
    );
    expect(JSON.parse(renderNotice(notice, style("discord")).body)).toMatchObject({
      content: expect.stringContaining("\\*bold\\*"),
      allowed_mentions: { parse: [] },
    });
  });

  test("is within the limit of its service, and of what it asks for, whatever the words", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.nat(200), (word, times) => {
        const notice = noticeOf([change(word.repeat(times + 1), { title: word }), change("x")]);
        for (const format of READY_FORMATS) {
          const { body, headers } = renderNotice(notice, style(format));
          if (headers["content-type"] === "application/json") JSON.parse(body);
          if (format === "ntfy") expect(new TextEncoder().encode(body).byteLength).toBeLessThanOrEqual(4_500);
          if (format === "discord") expect(JSON.parse(body).content.length).toBeLessThanOrEqual(2_050);
          if (format === "mailgun")
            expect([...new URLSearchParams(body).keys()]).toEqual(["from", "to", "subject", "text"]);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a template", () => {
  const hostile = '"}, "admin": true, {"x": "\\ & <b>é</b> {{crawl}}\u0000';
  const notice = noticeOf([change("x", { title: hostile })]);
  const subject = `Changed: ${hostile.replaceAll("\u0000", "")}`;

  test("of JSON has words in strings alone, and the data as it is", () => {
    const template = '{"a": ["{{subject}}!"], "event": "{{ event }}", "n": 1, "data": "{{data}}", "{{crawl}}": true}';
    expect(JSON.parse(renderNotice(notice, own(template)).body)).toEqual({
      a: [`Changed: ${hostile}!`],
      event: "pages.changed",
      n: 1,
      data: JSON.parse(notice.body).data,
      "{{crawl}}": true,
    });
  });

  test("of a form has them encoded", () => {
    const form = own("user=u&message={{subject}}", { "content-type": "application/x-www-form-urlencoded" });
    const { body, headers } = renderNotice(notice, form);
    expect([...new URLSearchParams(body)]).toEqual([
      ["user", "u"],
      ["message", `Changed: ${hostile}`],
    ]);
    expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
  });

  test("of markup has them as text, and names in them stay words", () => {
    const { body } = renderNotice(notice, own("<p>{{subject}}</p>", { "content-type": "text/html" }));
    expect(body).toContain("&lt;b&gt;é&lt;/b&gt; {{crawl}}");
    expect(body.match(/[<>]/g)).toHaveLength(4);
  });

  test("of text is a text", () => {
    expect(renderNotice(notice, own("{{subject}} ({{crawl}})")).body).toBe(`${subject} (c)`);
  });

  test.each([
    ["", {}, "is empty"],
    ["{{secret}}", {}, "names {{secret}}"],
    ["{{constructor}}", {}, "names {{constructor}}"],
    ['{"text": {{text}}}', { "content-type": "application/json" }, "is no JSON"],
    ["{{text}}{{data}}{{text}}", {}, "more than 2 times"],
    ["{{url}}".repeat(21), {}, "more than 20 names"],
    ["x".repeat(10_001), {}, "more than 10000 characters"],
    ['{"text": "{{text}}"}', {}, null],
  ])("%.30s: %j", (template, headers, problem) => {
    const found = findTemplateProblem(template, headers as Record<string, string>);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });
});
