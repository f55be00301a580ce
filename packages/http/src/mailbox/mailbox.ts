/**
 * The development mailbox at `/mailbox`: pages that show the mail that the stub transport kept. Only requests of this machine are answered.
 * Source: decision 0058.
 */
import { DeliveryLog, Feedback } from "@mailkeep/core"
import { MailCapture } from "@mailkeep/core/binding"
import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { rememberedAddress } from "./clientAddress.ts"
import { makeFormToken } from "./forms.ts"
import { isLocalRequest } from "./localRequest.ts"
import { mailboxPath, sentencePage } from "./page.ts"
import { makeMailboxActions } from "./mailboxActions.ts"
import type { MailboxDeps } from "./mailboxViews.ts"
import { makeMailboxViews } from "./mailboxViews.ts"

/** The routes of the mailbox, for the names of spans. */
export const mailboxRoutes = [mailboxPath, `${mailboxPath}/*`] as const

const clientAddressOf = ({ remoteAddress, source }: HttpServerRequest.HttpServerRequest): string | undefined =>
  Option.getOrUndefined(remoteAddress) ?? rememberedAddress(source)

const refusedPage = (root: string) =>
  sentencePage(root, 403, {
    title: "Only for this machine",
    sentence: "The mailbox answers only requests that come from this machine and name localhost or a loopback address."
  })

const wrongMethodPage = (root: string, allow: string) =>
  sentencePage(
    root,
    405,
    { title: "This method is not possible here", sentence: `This path takes ${allow}.` },
    { allow }
  )

const unavailablePage = (root: string) =>
  sentencePage(root, 503, { title: "Please try again", sentence: "The store cannot answer now." })

const noCapturePage = (root: string) =>
  sentencePage(root, 404, {
    title: "There is no mailbox",
    sentence: "The mailbox shows the mail of the stub transport. The transport of this core keeps no mail."
  })

const makeAnswer = (deps: MailboxDeps) => {
  const views = makeMailboxViews(deps)
  const actions = makeMailboxActions(deps)
  const notFound = sentencePage(deps.root, 404, {
    title: "There is nothing here",
    sentence:
      "The mailbox does not have this page or this mail. It keeps a limited number of mails, until the process ends."
  })
  const isRead = (method: string) => method === "GET" || method === "HEAD"

  const found = (request: HttpServerRequest.HttpServerRequest) => {
    const url = new URL(request.url, "http://localhost")
    const path = url.pathname.slice(mailboxPath.length)
    const view = views(path, url.searchParams, request.headers["host"] ?? "")
    if (view !== undefined)
      return isRead(request.method) ? view : Effect.succeed(wrongMethodPage(deps.root, "GET, HEAD"))
    const action = actions(path)
    if (action === undefined) return Effect.undefined
    return request.method === "POST" ? action(request) : Effect.succeed(wrongMethodPage(deps.root, "POST"))
  }
  return (request: HttpServerRequest.HttpServerRequest) =>
    Effect.map(found(request), (response) => response ?? notFound).pipe(
      Effect.catchTag("StoreUnavailable", () => Effect.succeed(unavailablePage(deps.root)))
    )
}

/**
 * The routes of the mailbox. `basePath` is the mount path of the interface. Without a transport that keeps mail, every page says so. A core with such
 * a transport sends no mail.
 */
export const layer = (basePath: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const root = `${basePath}${mailboxPath}`
      const capture = Option.getOrUndefined(yield* Effect.serviceOption(MailCapture))
      const feedback = Option.getOrUndefined(yield* Effect.serviceOption(Feedback))
      const log = yield* DeliveryLog
      const answer =
        capture === undefined || feedback === undefined
          ? () => Effect.succeed(noCapturePage(root))
          : makeAnswer({ root, capture, feedback, log, token: makeFormToken() })
      const guarded = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        isLocalRequest(request.headers, clientAddressOf(request)) ? answer(request) : Effect.succeed(refusedPage(root))
      )
      // This route also matches the path of the mailbox itself.
      return HttpRouter.add("*", mailboxRoutes[1], guarded)
    })
  )
