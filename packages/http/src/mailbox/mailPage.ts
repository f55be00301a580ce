/**
 * One mail: its addresses, its status, and one of its parts.
 */
import type { DeliveryStory } from "@mailkeep/core"
import type { CapturedMail } from "@mailkeep/core/binding"
import { deliveryForms, deliveryHistory } from "./deliveryPart.ts"
import { shownSubject } from "./listPage.ts"
import { isWebLink, linksMax, linksOf } from "./mailLinks.ts"
import type { Content, Markup } from "./markup.ts"
import { markup } from "./markup.ts"
import type { ShownSource } from "./mimeSource.ts"
import { headerFieldsOf } from "./mimeSource.ts"
import type { PageContent } from "./page.ts"
import { shownStatus, shownTime } from "./page.ts"

/** The parts of a mail. Each is a page of its own. */
export const mailParts = ["html", "text", "delivery", "headers", "source", "files", "links"] as const
/** A part of a mail. */
export type MailPart = (typeof mailParts)[number]

const labels: Readonly<Record<MailPart, string>> = {
  html: "HTML",
  text: "Text",
  delivery: "Delivery",
  headers: "Headers",
  source: "Source",
  files: "Attachments",
  links: "Links"
}

/** What the page of a mail shows. */
export interface MailPageView {
  readonly root: string
  readonly token: string
  /** Changes when the delivery changes. */
  readonly state: string
  readonly mail: CapturedMail
  /** `null` if the delivery has been deleted. */
  readonly story: DeliveryStory | null
  readonly part: MailPart
  /** Whether the preview may load files of other hosts. */
  readonly remote: boolean
  /** `null` for a part that does not show it, and if the mail cannot be composed. */
  readonly source: ShownSource | null
  readonly notice: Markup | null
}

/** The part that is shown first: the HTML, if there is any. */
export const firstPartOf = ({ message }: CapturedMail): MailPart => (message.html === null ? "text" : "html")

const addressOf = ({ root, mail }: MailPageView): string => `${root}/mails/${mail.deliveryId}`

const htmlPart = (view: MailPageView): Markup => {
  if (view.mail.message.html === null) return markup`<p>This mail has no HTML.</p>`
  const address = addressOf(view)
  return markup`${
    view.remote
      ? markup`<p>Files of other hosts may load. <a id="remote" href="${address}?part=html">Stop remote content</a></p>`
      : markup`<p>Nothing is loaded from other hosts. <a id="remote" href="${address}?part=html&amp;remote=1">Load remote content</a></p>`
  }
<iframe sandbox="" title="HTML of the mail" referrerpolicy="no-referrer" src="${address}/preview${view.remote ? "?remote=1" : ""}"></iframe>`
}

const scrollable = (label: string, text: string): Markup =>
  markup`<pre tabindex="0" role="region" aria-label="${label}">${text}</pre>`

const textPart = ({ mail: { message } }: MailPageView): Markup =>
  message.text === null
    ? markup`<p>This mail was sent without a text. The source has the text that Mailkeep makes of the HTML.</p>`
    : scrollable("Text of the mail", message.text)

const notComposed = markup`<p>The source cannot be made now: a file of the mail cannot be read, or the mail cannot be sent.</p>`

const headersPart = ({ source }: MailPageView): Markup =>
  source === null
    ? notComposed
    : markup`<dl>${headerFieldsOf(source.text).map(([name, value]) => markup`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`

const sourcePart = (view: MailPageView): Markup => {
  const { source } = view
  if (source === null) return notComposed
  return markup`<p>${source.isComplete ? `${source.size} bytes` : `The first 256 KiB of ${source.size} bytes`}, as SMTP sends them.
<a href="${addressOf(view)}/source.eml">Download the source</a></p>${scrollable("Source of the mail", source.text)}`
}

const filesPart = (view: MailPageView): Markup => {
  const { attachments } = view.mail.message
  if (attachments.length === 0) return markup`<p>This mail has no attachments.</p>`
  return markup`<ul>${attachments.map(
    ({ filename, contentType, size, disposition }, index) =>
      markup`<li><a href="${addressOf(view)}/files/${index}"><bdi>${filename}</bdi></a> (${contentType}, ${size} bytes, ${disposition})</li>`
  )}</ul>`
}

const linksPart = ({ mail: { message } }: MailPageView): Markup => {
  const links = linksOf(message)
  if (links.length === 0) return markup`<p>This mail has no links.</p>`
  return markup`${links.length === linksMax ? markup`<p>The first ${linksMax} links.</p>` : null}<ol>${links.map(
    (link) =>
      isWebLink(link)
        ? markup`<li><a href="${link}" rel="noreferrer noopener" target="_blank">${link}</a></li>`
        : markup`<li><code>${link}</code></li>`
  )}</ol>`
}

const contentOf = (view: MailPageView): Content => {
  switch (view.part) {
    case "html":
      return htmlPart(view)
    case "text":
      return textPart(view)
    case "headers":
      return headersPart(view)
    case "source":
      return sourcePart(view)
    case "files":
      return filesPart(view)
    case "links":
      return linksPart(view)
    case "delivery":
      return view.story === null ? null : deliveryForms(view, view.story)
  }
}

const partLink = (view: MailPageView, part: MailPart): Markup => {
  const count = part === "files" ? ` (${view.mail.message.attachments.length})` : ""
  const current = part === view.part ? markup` aria-current="page"` : null
  return markup`<a id="part-${part}" href="${addressOf(view)}?part=${part}"${current}>${labels[part]}${count}</a>`
}

const shownFrom = ({ name, address }: CapturedMail["message"]["from"]): string =>
  name === null ? address : `${name} <${address}>`

const addresses = ({ mail: { message, envelope, at, attempt } }: MailPageView): Markup =>
  markup`<dl><dt>From</dt><dd><bdi>${shownFrom(message.from)}</bdi></dd><dt>To</dt><dd><bdi>${message.to.join(", ")}</bdi></dd>
${message.cc.length === 0 ? null : markup`<dt>Cc</dt><dd><bdi>${message.cc.join(", ")}</bdi></dd>`}
<dt>Recipient</dt><dd><bdi>${envelope.to}</bdi></dd><dt>Attempt</dt><dd>${attempt}, ${shownTime(at)}</dd></dl>`

const statusLine = ({ story }: MailPageView): Markup => {
  if (story === null) return markup`<p>The delivery has been deleted.</p>`
  return markup`<p>Status: ${shownStatus(story.status)}${story.reason === null ? null : ` ${story.reason.replaceAll("_", " ")}`}</p>`
}

/** A mail as a page. Only the status and the history change by themselves, so that the preview is not loaded again. */
export const mailPage = (view: MailPageView): PageContent => {
  const { root, mail, story, part, state, notice } = view
  const status = story?.status ?? "deleted"
  return {
    title: `${mail.message.subject === "" ? "No subject" : mail.message.subject} – Mailbox`,
    root,
    live: true,
    content: markup`<p><a href="${root}">All mail</a></p><h1>${shownSubject(mail.message.subject)}</h1>
${notice}
${addresses(view)}
<nav class="parts" aria-label="Parts of the mail">${mailParts.map((each) => partLink(view, each))}</nav>
<section id="live" aria-label="Status" data-state="${state}" data-sentence="${`The status is ${status}.`}" data-changes="${root}/changes?mail=${mail.deliveryId}">
${statusLine(view)}${part === "delivery" && story !== null ? deliveryHistory(story) : null}
</section>
<section aria-label="${labels[part]}">${contentOf(view)}</section>`
  }
}
