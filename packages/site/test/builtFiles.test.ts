/**
 * Tests that each mistake of a built site is found: a dead link or anchor, and a request to another host.
 */
import { describe, expect, it } from "vitest"
import { builtComplaints } from "../src/builtFiles.ts"
import { contentSecurityPolicy } from "../src/ownHost.ts"

const policy = `<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">`
const page = (body: string) => `<html><head>${policy}</head><body>${body}</body></html>`
const site = (body: string, more: Readonly<Record<string, string>> = {}) =>
  builtComplaints({ "index.html": page(body), "guides/a.html": page('<h2 id="one">One</h2>'), ...more })

describe("builtComplaints", () => {
  it.each([
    '<a href="/guides/a.html">a</a>',
    '<a href="/guides/a.html#one">a</a>',
    '<a href="./guides/a.html">a</a>',
    '<a href="/">home</a>',
    '<h2 id="x">x</h2><a href="#x">x</a>',
    '<a class="c" href="https://example.org/x">only when a reader follows it</a>',
    '<img src="/logo.png"><script src="/assets/app.js"></script>'
  ])("allows %s", (body) => {
    expect(site(body)).toEqual([])
  })

  it.each([
    ['<a href="/guides/b.html">b</a>', "not on the site"],
    ['<a class="c" href="/guides/a.html#two">a</a>', "no such anchor"],
    ['<a href="#y">y</a>', "no such anchor"],
    ['<img alt="x" src="https://example.org/x.png">', "from another host"],
    ['<script src="//example.org/x.js"></script>', "from another host"],
    ['<link rel="stylesheet" href="http://example.org/x.css">', "from another host"],
    ['<iframe src="https://example.org/"></iframe>', "from another host"],
    ["<style>@import url('https://example.org/x.css');</style>", "from another host"],
    ['<p style="background: url(https://example.org/x.png)">x</p>', "from another host"]
  ])("reports %s", (body, complaint) => {
    expect(site(body)).toEqual([expect.stringContaining(complaint)])
  })

  it("reports a style sheet that loads a font from another host", () => {
    const css = { "x.css": "@font-face { src: url(https://example.org/f.woff2) }" }
    expect(site("", css)).toEqual([expect.stringContaining("from another host")])
    expect(site("", { "x.css": "@font-face { src: url(/f.woff2) }" })).toEqual([])
  })

  it("reports a page that does not forbid requests to other hosts, and a site without pages", () => {
    expect(site("", { "x.html": "<html></html>" })).toEqual([expect.stringContaining("does not forbid")])
    expect(builtComplaints({})).toEqual(["there is no page"])
  })
})
