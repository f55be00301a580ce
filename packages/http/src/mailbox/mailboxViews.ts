/**
 * The pages and files of the mailbox that a reader gets.
 */
import type { DeliveryLog, Feedback } from "@mailkeep/core"
import type { CapturedMail, MailCaptureShape, MailSource } from "@mailkeep/core/binding"
import { isId } from "@mailkeep/core/binding"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { clientScript } from "./clientScript.ts"
import { fileHeaders } from "./files.ts"
import { listPage, listRequestOf, sliceOf } from "./listPage.ts"
import type { MailPart } from "./mailPage.ts"
import { firstPartOf, mailPage, mailParts } from "./mailPage.ts"
import { listState, mailState, statusesOf, storyOf } from "./mailboxReads.ts"
import { readShownSource } from "./mimeSource.ts"
import { noticeOf } from "./notices.ts"
import { commonHeaders, pageResponse } from "./page.ts"
import { previewDocument, previewPolicy } from "./preview.ts"
import { styleSheet } from "./styleSheet.ts"

/** What the mailbox needs. */
export interface MailboxDeps {
  /** The path of the mailbox, with the mount path. */
  readonly root: string
  readonly capture: MailCaptureShape
  readonly log: DeliveryLog["Service"]
  readonly feedback: Feedback["Service"]
  /** The token of the forms. */
  readonly token: string
}

const asset = (text: string, contentType: string) =>
  HttpServerResponse.text(text, { contentType: `${contentType}; charset=utf-8`, headers: commonHeaders })

const state = (text: string) => HttpServerResponse.jsonUnsafe({ state: text }, { headers: commonHeaders })

/** Whether the address of a page asks for files of other hosts. */
const allowsRemote = (query: URLSearchParams): boolean => query.get("remote") === "1"

const listViews = ({ root, capture, log, token }: MailboxDeps) => {
  const load = (query: URLSearchParams) =>
    Effect.gen(function* () {
      const version = capture.version()
      const request = listRequestOf(query)
      const slice = sliceOf(capture.mails(), request)
      const statuses = yield* statusesOf(log, slice.mails)
      return { ...request, ...slice, statuses, state: listState(version, slice.mails, statuses) }
    })
  return {
    page: (query: URLSearchParams) =>
      Effect.map(load(query), (list) =>
        pageResponse(
          listPage({ ...list, root, token, nextOutcomes: capture.nextOutcomes(), notice: noticeOf(query.get("done")) })
        )
      ),
    changes: (query: URLSearchParams) => Effect.map(load(query), (list) => state(list.state))
  }
}

const mailViews = ({ root, capture, log, token }: MailboxDeps) => {
  const shownSource = (mail: CapturedMail, part: MailPart) =>
    part !== "source" && part !== "headers"
      ? Effect.succeed(null)
      : capture.source(mail.deliveryId).pipe(
          Effect.flatMap((source) => (source === null ? Effect.succeed(null) : readShownSource(source))),
          Effect.orElseSucceed(() => null)
        )

  const page = (mail: CapturedMail, query: URLSearchParams) =>
    Effect.gen(function* () {
      const part = mailParts.find((name) => name === query.get("part")) ?? firstPartOf(mail)
      const story = yield* storyOf(log, mail)
      const source = yield* shownSource(mail, part)
      const notice = noticeOf(query.get("done"))
      const remote = allowsRemote(query)
      return pageResponse(
        mailPage({ root, token, state: mailState(mail, story), mail, story, part, remote, source, notice })
      )
    })

  const preview = ({ deliveryId, message }: CapturedMail, query: URLSearchParams, host: string) => {
    const files = `${root}/mails/${deliveryId}/files/`
    const remote = allowsRemote(query)
    const document = previewDocument(message, { remote, fileUrl: (index) => `${files}${index}` })
    return HttpServerResponse.text(document, {
      contentType: "text/html; charset=utf-8",
      headers: {
        ...commonHeaders,
        "referrer-policy": "no-referrer",
        "content-security-policy": previewPolicy({ remote, files: `${host}${files}` })
      }
    })
  }

  const saved = ({ read, size }: MailSource, filename: string, contentType: string) =>
    HttpServerResponse.stream(
      Stream.fromAsyncIterable(read(), (cause) => cause),
      { contentLength: size, headers: fileHeaders(filename, contentType) }
    )

  const file = ({ message }: CapturedMail, index: number) => {
    const found = message.attachments[index]
    return found === undefined ? undefined : saved(found, found.filename, found.contentType)
  }

  const source = ({ deliveryId }: CapturedMail) =>
    capture.source(deliveryId).pipe(
      Effect.map((found) =>
        found === null ? undefined : saved(found, `${deliveryId}.eml`, "application/octet-stream")
      ),
      Effect.catch(() => Effect.undefined)
    )

  return {
    page,
    preview,
    file,
    source,
    changes: (mail: CapturedMail) => Effect.map(storyOf(log, mail), (story) => state(mailState(mail, story)))
  }
}

/** Finds what to show at a path below the mailbox; `undefined` for an unknown path. An unknown mail is `undefined` as a result. */
export const makeMailboxViews = (deps: MailboxDeps) => {
  const list = listViews(deps)
  const mails = mailViews(deps)
  const find = (id: string) => (isId("del", id) ? deps.capture.find(id) : undefined)

  const ofMail = (mail: CapturedMail | undefined, rest: string, query: URLSearchParams, host: string) => {
    const file = /^\/files\/(\d{1,3})$/.exec(rest)
    const isKnown = rest === "" || rest === "/preview" || rest === "/source.eml" || file !== null
    if (!isKnown) return undefined
    if (mail === undefined) return Effect.undefined
    if (file !== null) return Effect.succeed(mails.file(mail, Number(file[1])))
    if (rest === "/preview") return Effect.succeed(mails.preview(mail, query, host))
    return rest === "" ? mails.page(mail, query) : mails.source(mail)
  }

  const changes = (query: URLSearchParams) => {
    const id = query.get("mail")
    if (id === null) return list.changes(query)
    const mail = find(id)
    return mail === undefined ? Effect.undefined : mails.changes(mail)
  }

  return (path: string, query: URLSearchParams, host: string) => {
    if (path === "" || path === "/") return list.page(query)
    if (path === "/changes") return changes(query)
    if (path === "/style.css") return Effect.succeed(asset(styleSheet, "text/css"))
    if (path === "/script.js") return Effect.succeed(asset(clientScript, "text/javascript"))
    const [, id, rest] = /^\/mails\/([^/]+)(|\/.*)$/.exec(path) ?? []
    return id === undefined ? undefined : ofMail(find(id), rest ?? "", query, host)
  }
}
