/**
 * The list of the captured mail, newest first, with a search, and the choice of the next outcome for an address.
 */
import type { DeliveryStatus } from "@mailkeep/core"
import type { CapturedMail, NextOutcome } from "@mailkeep/core/binding"
import type { Markup } from "./markup.ts"
import { markup } from "./markup.ts"
import { nextOutcomeFields } from "./outcomeForm.ts"
import type { PageContent } from "./page.ts"
import { shownStatus, shownTime } from "./page.ts"

/** The number of mails on one page of the list. */
const pageMails = 50
/** A longer search is cut. */
const searchCharactersMax = 200

/** Which part of the list a page shows. */
export interface ListRequest {
  /** A part of the recipient or of the subject. Empty: every mail. */
  readonly search: string
  /** The number of newer mails before the page. */
  readonly offset: number
}

/** A part of the list. */
export interface MailSlice {
  readonly mails: ReadonlyArray<CapturedMail>
  /** The number of mails that match the search. */
  readonly total: number
}

/** The part of the list that a request asks for. Upper and lower case are the same. */
export const sliceOf = (all: ReadonlyArray<CapturedMail>, { search, offset }: ListRequest): MailSlice => {
  const wanted = search.toLowerCase()
  const matching =
    wanted === ""
      ? all
      : all.filter(
          ({ envelope, message }) =>
            envelope.to.toLowerCase().includes(wanted) || message.subject.toLowerCase().includes(wanted)
        )
  return { mails: matching.slice(offset, offset + pageMails), total: matching.length }
}

/** Reads the query of the list. Whatever is not valid is as if it were absent. */
export const listRequestOf = (query: URLSearchParams): ListRequest => {
  const offset = query.get("offset") ?? ""
  return {
    search: (query.get("q") ?? "").slice(0, searchCharactersMax),
    offset: /^\d{1,6}$/.test(offset) ? Number(offset) : 0
  }
}

const queryOf = ({ search, offset }: ListRequest): string => {
  const query = new URLSearchParams()
  if (search !== "") query.set("q", search)
  if (offset > 0) query.set("offset", String(offset))
  return query.size === 0 ? "" : `?${query}`
}

/** The subject for people. */
export const shownSubject = (subject: string): Markup =>
  subject.trim() === "" ? markup`<em>No subject</em>` : markup`<bdi>${subject}</bdi>`

/** What the list shows. */
export interface ListView extends ListRequest, MailSlice {
  readonly root: string
  readonly token: string
  /** Changes when the list changes. */
  readonly state: string
  readonly statuses: ReadonlyMap<string, DeliveryStatus>
  readonly nextOutcomes: ReadonlyArray<{ readonly recipient: string; readonly outcome: NextOutcome }>
  readonly notice: Markup | null
}

const item = ({ root, statuses }: ListView, { deliveryId, envelope, message, at }: CapturedMail): Markup =>
  markup`<li data-mail="${deliveryId}"><a id="mail-${deliveryId}" href="${root}/mails/${deliveryId}">
<span class="subject">${shownSubject(message.subject)}</span> ${shownStatus(statuses.get(deliveryId) ?? null)}
<span class="to">to <bdi>${envelope.to}</bdi></span> ${shownTime(at)}</a></li>`

const olderAndNewer = ({ root, search, offset, total }: ListView): Markup | null =>
  total <= pageMails && offset === 0
    ? null
    : markup`<nav aria-label="Pages of the list">
${offset > 0 ? markup`<a id="newer" href="${root}${queryOf({ search, offset: Math.max(0, offset - pageMails) })}">Newer</a>` : null}
${offset + pageMails < total ? markup`<a id="older" href="${root}${queryOf({ search, offset: offset + pageMails })}">Older</a>` : null}
</nav>`

const liveList = (view: ListView): Markup => {
  const { mails, total, search, nextOutcomes } = view
  const count = `${total === 1 ? "1 mail" : `${total} mails`}${search === "" ? "" : " found"}`
  return markup`<p>${count}</p>
${mails.length === 0 ? markup`<p>${search === "" ? "No mail yet. Mail that the product sends appears here." : "No mail matches the search."}</p>` : markup`<ol class="mails">${mails.map((mail) => item(view, mail))}</ol>`}
${olderAndNewer(view)}
${nextOutcomes.length === 0 ? null : markup`<h2>Chosen outcomes</h2><ul>${nextOutcomes.map(({ recipient, outcome }) => markup`<li>The next mail to <bdi>${recipient}</bdi> is ${outcome}.</li>`)}</ul>`}`
}

/** The list as a page. */
export const listPage = (view: ListView): PageContent => {
  const { root, token, search, state, notice } = view
  return {
    title: search === "" ? "Mailbox" : "Search – Mailbox",
    root,
    live: true,
    content: markup`<h1>Mailbox</h1>
${notice}
<form class="row" role="search" method="get" action="${root}">
<div><label for="q">Recipient or subject</label><input id="q" name="q" type="search" maxlength="${searchCharactersMax}" value="${search}"></div>
<button>Search</button>${search === "" ? null : markup` <a href="${root}">Show all mail</a>`}
</form>
<section id="live" aria-label="Captured mail" data-state="${state}" data-changes="${root}/changes${queryOf(view)}">
${liveList(view)}
</section>
<h2>Next mail to an address</h2>
<form class="row" method="post" action="${root}/next"><input type="hidden" name="token" value="${token}">
<div><label for="recipient">Address</label><input id="recipient" name="recipient" type="email" maxlength="320" required></div>
${nextOutcomeFields}
</form>
<h2>Forget the mail</h2>
<form method="post" action="${root}/clear"><input type="hidden" name="token" value="${token}">
<p>The mail leaves the mailbox. The log of the deliveries stays.</p><button>Empty the mailbox</button></form>`
  }
}
