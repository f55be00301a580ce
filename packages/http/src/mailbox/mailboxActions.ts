/**
 * What a reader does in the mailbox: reports about a delivery, chooses the next outcome for an address, and empties the mailbox. Each takes the way
 * that real mail takes: `Feedback`, or the transport.
 */
import type { DeliveryReport } from "@mailkeep/core"
import { isId, parseAddress } from "@mailkeep/core/binding"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { ReportName } from "./deliveryPart.ts"
import { reportNames } from "./deliveryPart.ts"
import { readForm } from "./forms.ts"
import { isOwnPage } from "./localRequest.ts"
import type { MailboxDeps } from "./mailboxViews.ts"
import type { NoticeName } from "./notices.ts"
import { nextOutcomeOf } from "./outcomeForm.ts"
import { commonHeaders, sentencePage } from "./page.ts"

const reports: Readonly<Record<ReportName, DeliveryReport>> = {
  bounce: {
    kind: "bounced",
    cause: "mailbox_unknown",
    smtpCode: 550,
    enhancedCode: "5.1.1",
    text: "User unknown (reported in the mailbox)"
  },
  full_mailbox: {
    kind: "bounced",
    smtpCode: 552,
    enhancedCode: "5.2.2",
    text: "Mailbox full (reported in the mailbox)"
  },
  complaint: { kind: "complained", text: "Reported in the mailbox" }
}

/** Finds the action at a path below the mailbox; `undefined` for an unknown path. The result of an unknown mail is `undefined`. */
export const makeMailboxActions = ({ root, capture, feedback, token }: MailboxDeps) => {
  const find = (id: string | null) => (id !== null && isId("del", id) ? capture.find(id) : undefined)
  const deliveryPage = (deliveryId: string): string => `${root}/mails/${deliveryId}?part=delivery&`
  // A reader gets the next page by a GET (RFC 9110 §15.4.4).
  const goTo = (address: string, done: NoticeName) =>
    HttpServerResponse.redirect(`${address}done=${done}`, { status: 303, headers: commonHeaders })
  const invalid = (sentence: string) =>
    Effect.succeed(sentencePage(root, 400, { title: "This form is not valid", sentence }))

  const report = (id: string, form: URLSearchParams) => {
    const mail = find(id)
    const name = reportNames.find((each) => each === form.get("report"))
    if (mail === undefined) return Effect.undefined
    if (name === undefined) return invalid("The form needs one of the reports.")
    return feedback.report(mail.projectId, mail.deliveryId, reports[name]).pipe(
      Effect.map(({ outcome }) => goTo(deliveryPage(id), outcome === "recorded" ? "reported" : "unchanged")),
      Effect.catchTags({ DeliveryNotFound: () => Effect.undefined, InvalidArgument: Effect.die })
    )
  }

  const chooseNext = (form: URLSearchParams) => {
    const recipient = parseAddress((form.get("recipient") ?? "").trim())
    const outcome = nextOutcomeOf(form.get("outcome"))
    if (outcome === undefined) return invalid("The form needs one of the outcomes.")
    if (recipient === undefined) return invalid("The form needs an address such as ada@example.org.")
    // The envelope of a hand-off has the address in this form.
    capture.setNextOutcome(recipient.address, outcome)
    const mail = find(form.get("mail"))
    return Effect.succeed(goTo(mail === undefined ? `${root}?` : deliveryPage(mail.deliveryId), "chosen"))
  }

  const empty = () => {
    capture.clear()
    return Effect.succeed(goTo(`${root}?`, "emptied"))
  }

  const actionOf = (path: string) => {
    if (path === "/next") return chooseNext
    if (path === "/clear") return empty
    const [, id] = /^\/mails\/([^/]+)\/report$/.exec(path) ?? []
    return id === undefined ? undefined : (form: URLSearchParams) => report(id, form)
  }

  return (path: string) => {
    const action = actionOf(path)
    if (action === undefined) return undefined
    return (request: HttpServerRequest.HttpServerRequest) =>
      Effect.gen(function* () {
        const form = yield* readForm(request)
        if (form === null) return yield* invalid("The mailbox takes only the short forms of its own pages.")
        if (!isOwnPage(request.headers) || form.get("token") !== token)
          return sentencePage(root, 403, {
            title: "This form is not of this mailbox",
            sentence: "Reload the page and try again. A form works only in the process that has made it."
          })
        return yield* action(form)
      })
  }
}
