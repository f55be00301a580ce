/**
 * What happened to a delivery and why, and the buttons that let it bounce or complain.
 */
import type { DeliveryEntry, DeliveryStory } from "@mailkeep/core"
import type { Markup } from "./markup.ts"
import { markup } from "./markup.ts"
import { nextOutcomeFields } from "./outcomeForm.ts"
import { shownTime } from "./page.ts"

/** The reports that a reader can make. */
export const reportNames = ["bounce", "full_mailbox", "complaint"] as const
/** A report that a reader can make. */
export type ReportName = (typeof reportNames)[number]

const reportLabels: Readonly<Record<ReportName, string>> = {
  bounce: "Bounce: no such mailbox",
  full_mailbox: "Bounce: mailbox full",
  complaint: "Complaint"
}

const entry = ({ at, text, ...rest }: DeliveryEntry): Markup =>
  markup`<li>${text} ${at === null ? null : shownTime(at)}${
    rest.kind === "event" && rest.eventDeliveries.length > 0
      ? markup`<ul>${rest.eventDeliveries.map(
          ({ name, subscriber, status, attemptCount }) =>
            markup`<li>${name ?? subscriber}: ${status}, ${attemptCount === 1 ? "1 attempt" : `${attemptCount} attempts`}</li>`
        )}</ul>`
      : null
  }</li>`

/** The history of the delivery, with a sentence for each entry, and what the delivery waits for. */
export const deliveryHistory = ({ entries, now }: DeliveryStory): Markup =>
  markup`<h2>Now</h2><p>${now.text}${now.until === null ? null : markup` (until ${shownTime(now.until)})`}</p>
<h2>History</h2><ol class="history">${entries.map(entry)}</ol>`

/** The forms that report about the delivery and choose the outcome of the next mail to its recipient. */
export const deliveryForms = (
  address: { readonly root: string; readonly token: string },
  { deliveryId, recipient }: Pick<DeliveryStory, "deliveryId" | "recipient">
): Markup => {
  const token = markup`<input type="hidden" name="token" value="${address.token}">`
  return markup`<h2>Report about this delivery</h2>
<p>The report takes the same way as one of a mailbox provider: status, event, webhooks and suppression.</p>
<form method="post" action="${address.root}/mails/${deliveryId}/report" class="buttons">${token}
${reportNames.map((name) => markup`<button id="report-${name}" name="report" value="${name}">${reportLabels[name]}</button>`)}</form>
<h2>Next mail to <bdi>${recipient}</bdi></h2>
<form class="row" method="post" action="${address.root}/next">${token}<input type="hidden" name="mail" value="${deliveryId}">
<input type="hidden" name="recipient" value="${recipient}">${nextOutcomeFields}</form>`
}
