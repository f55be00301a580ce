/**
 * The frame of every page of the mailbox, its header fields, and the pieces that several pages have.
 */
import type { DeliveryStatus } from "@mailkeep/core"
import { formatInstant } from "@mailkeep/core/binding"
import type { Instant } from "@mailkeep/core/binding"
import { HttpServerResponse } from "effect/http"
import type { Content, Markup } from "./markup.ts"
import { markup } from "./markup.ts"

/** The path of the mailbox, below the mount path of the interface. */
export const mailboxPath = "/mailbox"

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** The header fields of every response of the mailbox. With `no-referrer`, a browser would hide the origin of a form too. */
export const commonHeaders = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-robots-tag": "noindex"
}

/** What a page shows. */
export interface PageContent {
  readonly title: string
  /** The address of the mailbox, with the mount path. */
  readonly root: string
  /** Whether the page has a part that changes by itself. */
  readonly live?: boolean
  readonly content: Content
}

const documentOf = ({ title, root, live = false, content }: PageContent): Markup => markup`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}/style.css">
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a href="${root}">Mailbox</a><p>Development only. No mail leaves this machine.</p></header>
<main id="main" tabindex="-1">
${content}
<p id="announcement" class="hidden" role="status" aria-live="polite"></p>
</main>
${live ? markup`<script src="${root}/script.js" defer></script>` : null}
</body>
</html>
`

/** A page as a response. */
export const pageResponse = (page: PageContent, status = 200, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(documentOf(page).html, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...commonHeaders, "content-security-policy": policy, "x-frame-options": "DENY", ...headers }
  })

/** A page with one sentence. */
export const sentencePage = (
  root: string,
  status: number,
  { title, sentence }: { readonly title: string; readonly sentence: string },
  headers: Readonly<Record<string, string>> = {}
) =>
  pageResponse(
    { title: `${title} – Mailbox`, root, content: markup`<h1>${title}</h1><p>${sentence}</p>` },
    status,
    headers
  )

/** A time for people, in UTC. */
export const shownTime = (at: Instant): Markup => {
  const text = formatInstant(at)
  return markup`<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 19)} UTC</time>`
}

const statusClasses: Readonly<Record<DeliveryStatus, string>> = {
  accepted: "good",
  delivered: "good",
  bounced: "bad",
  complained: "bad",
  failed: "bad",
  suppressed: "bad",
  queued: "wait",
  scheduled: "wait",
  sending: "wait",
  canceled: ""
}

/** The status of a delivery; `null` for a delivery that has been deleted. */
export const shownStatus = (status: DeliveryStatus | null): Markup =>
  markup`<span class="status ${status === null ? "" : statusClasses[status]}">${status ?? "deleted"}</span>`
