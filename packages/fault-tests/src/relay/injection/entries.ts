/**
 * The entries through which a case is sent: the program's own call, the HTTP interface and SMTP submission.
 */
import type { AttachmentInput, SendInput } from "@mailkeep/core"
import { ApiKeys, Sending, Templates } from "@mailkeep/core"
import * as NodeMailServer from "@mailkeep/http/node"
import { SmtpSubmission } from "@mailkeep/inbound"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { project } from "../../embeddedMail.ts"
import { inputOf } from "../SampleMail.ts"
import { sendRaw } from "../peers/rawClient.ts"
import type { InjectionCase } from "./cases.ts"
import { submittedMessage } from "./submittedMessage.ts"

/** The id of the message of an accepted send; `undefined` when the send was refused. */
export type Entry = (one: InjectionCase) => Effect.Effect<string | undefined>

/** A template with the parts of the case, published under an alias of its own. `undefined` when it was refused. */
const templateAlias = Effect.fnUntraced(function* ({ template }: InjectionCase, alias: string) {
  if (template === null) return null
  const { subject, text, html } = template
  const templates = yield* Templates
  const content = { name: alias, alias, subject, text, html, variables: [{ key: "name", type: "string" as const }] }
  const ensured = yield* Effect.result(templates.ensure(project, content))
  return Result.isSuccess(ensured) ? alias : undefined
})

/** The body of the send, in the form that the program and the HTTP interface share. `undefined` when its template was refused. */
const bodyOf = Effect.fnUntraced(function* (one: InjectionCase, alias: string) {
  const templateId = yield* templateAlias(one, alias)
  if (templateId === undefined) return undefined
  const { subject, text, html, ...rest } = inputOf(one.mail)
  const content =
    templateId === null
      ? { subject, text, html }
      : { templateId, templateVariables: { name: one.template?.name ?? "" } }
  return { ...rest, ...content, metadata: one.metadata }
})

/** Calls `Sending.send`, as a product does. */
export const programEntry = Effect.gen(function* () {
  const sending = yield* Sending
  const templates = yield* Templates
  let number = 0
  const entry: Entry = (one) =>
    Effect.gen(function* () {
      const body = yield* bodyOf(one, `program-${number++}`)
      if (body === undefined) return undefined
      const { headers } = one.mail
      const options = { headers, ...(one.idempotencyKey === null ? {} : { idempotencyKey: one.idempotencyKey }) }
      const sent = yield* Effect.result(sending.send(project, body, options))
      if (Result.isSuccess(sent)) return sent.success.messageId
      if (sent.failure._tag === "InvalidArgument" || sent.failure._tag === "SenderDomainNotVerified") return undefined
      return yield* Effect.die(sent.failure)
    }).pipe(Effect.provideService(Templates, templates))
  return entry
})

/** The body as JSON: the fields of files have their names on the wire, and the contents are in base64. */
const toJson = ({ attachments, ...body }: HttpBody): string =>
  JSON.stringify({
    ...body,
    ...(attachments === undefined ? {} : { attachments: attachments.map(wireFile) })
  })

const wireFile = ({ filename, content, contentType, contentId }: AttachmentInput) => ({
  filename,
  content: Buffer.from(content ?? "").toString("base64"),
  content_type: contentType,
  content_id: contentId
})

type HttpBody = Pick<SendInput, "attachments"> & Readonly<Record<string, unknown>>

/** Statuses that refuse a request for its content. */
const refusals = new Set([400, 403, 413, 422])

/** Sends requests to the HTTP interface. Header fields cannot be sent there. */
export const httpEntry = Effect.gen(function* () {
  const templates = yield* Templates
  const { secret } = yield* (yield* ApiKeys).create(project, { permissions: ["email.send"] })
  const server = yield* Layer.build(NodeMailServer.layerNode({ host: "127.0.0.1", port: 0, graceMillis: 100 }))
  const url = yield* Effect.provideContext(NodeMailServer.url, server)
  let number = 0
  const post = async (body: HttpBody, idempotencyKey: string): Promise<string | undefined> => {
    const headers = {
      authorization: `Bearer ${Redacted.value(secret)}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey
    }
    const answer = await fetch(`${url}/api/v1/emails/send`, { method: "POST", headers, body: toJson(body) })
    const { data } = (await answer.json()) as { readonly data?: { readonly messageId: string } }
    if (answer.ok && data !== undefined) return data.messageId
    if (refusals.has(answer.status)) return undefined
    throw new Error(`The HTTP interface answered ${answer.status}.`)
  }
  const entry: Entry = (one) =>
    Effect.gen(function* () {
      const unique = `http-${number++}`
      if (Object.keys(one.mail.headers).length > 0) return undefined
      const body = yield* bodyOf(one, unique)
      if (body === undefined) return undefined
      // The program has used the key itself.
      const idempotencyKey = one.idempotencyKey === null ? unique : `http-${one.idempotencyKey}`
      // The client for HTTP itself refuses a header field with a line break.
      if (!/^[\t\x20-\x7e]*$/.test(idempotencyKey)) return undefined
      return yield* Effect.promise(() => post(body, idempotencyKey))
    }).pipe(Effect.provideService(Templates, templates))
  return entry
})

/** Submits messages to the SMTP listener. A template and metadata cannot be sent there. */
export const submissionEntry = Effect.gen(function* () {
  const { secret } = yield* (yield* ApiKeys).create(project, { permissions: ["email.send"] })
  const listener = yield* Layer.build(SmtpSubmission.layer({ port: 0 }))
  const { port } = Context.get(listener, SmtpSubmission)
  const auth = ["apikey", Redacted.value(secret)] as const
  const submit = async ({ mail }: InjectionCase): Promise<string | undefined> => {
    const raw = submittedMessage(mail)
    if (raw === undefined) return undefined
    const reply = await sendRaw(port, { from: mail.from, to: [...mail.to, ...mail.cc, ...mail.bcc], raw, auth })
    if (reply.startsWith("5")) return undefined
    const messageId = /^250 .*\b(msg_[0-9a-z]+)/.exec(reply)?.[1]
    if (messageId === undefined) throw new Error(`The submission listener answered ${reply}`)
    return messageId
  }
  const entry: Entry = (one) =>
    one.template !== null || Object.keys(one.metadata).length > 0 || one.idempotencyKey !== null
      ? Effect.succeed(undefined)
      : Effect.promise(() => submit(one))
  return entry
})
