/**
 * Converts the errors of the wire to the failures of the core. The classes are loaded with the first failure, because they load a part of Effect.
 */
import type { InvalidArgument, Issue, MailRefusal, MessageId, Permission, PlanLimitCode } from "@mailkeep/core"
import type { ServiceFailure } from "@mailkeep/core/handle/calls"
import { failureGuard, serviceFailureKinds } from "@mailkeep/core/handle/calls"
import { isRecord, shownText } from "@mailkeep/core/options"
import { toInputPath } from "./inputs.ts"
import type { OperationId } from "./operations.ts"

/**
 * No answer arrived: the server could not be reached, or it did not answer in time. A call other than a read may have had its effect. Repeat a send with
 * the same idempotency key.
 */
export class MailUnreachable extends Error {
  /** The name of the class, for code that has another copy of it. */
  override readonly name = "MailUnreachable"
  readonly _tag = "MailUnreachable"
  readonly kind = "unavailable"
  /** Retryable. After a write that is no send, read first whether it had its effect. */
  readonly isRetryable = true
  /** `timeout`: no answer within `timeoutMillis`. `network`: the connection failed. */
  readonly reason: "network" | "timeout"
  /** The code of the runtime, such as `ECONNREFUSED`; `null` without one. */
  readonly code: string | null

  constructor({
    reason,
    code = null,
    detail
  }: {
    readonly reason: "network" | "timeout"
    readonly code?: string | null
    readonly detail: string
  }) {
    super(
      reason === "timeout" ? `The mail server did not answer ${detail}.` : `The mail server is unreachable: ${detail}`
    )
    this.reason = reason
    this.code = code
  }
}

/**
 * The answer is not one of the interface: the `url` is wrong, something between client and server answered, or the server has a bug.
 */
export class UnexpectedResponse extends Error {
  /** The name of the class, for code that has another copy of it. */
  override readonly name = "UnexpectedResponse"
  readonly _tag = "UnexpectedResponse"
  readonly kind = "unexpected_response"
  /** The status of the HTTP response. */
  readonly status: number
  /** The id of the request in the log of the server; `null` when the answer has none. */
  readonly correlationId: string | null

  constructor({
    status,
    correlationId = null,
    detail
  }: {
    readonly status: number
    readonly correlationId?: string | null
    readonly detail: string
  }) {
    super(`The mail server answered with the status ${status}: ${detail}`)
    this.status = status
    this.correlationId = correlationId
  }

  /** Retryable for the statuses 408, 429, 502, 503 and 504. */
  get isRetryable(): boolean {
    return [408, 429, 502, 503, 504].includes(this.status)
  }
}

/** Everything with which a method of the client rejects, except an abort. */
export type MailClientFailure = ServiceFailure | MailUnreachable | UnexpectedResponse

/**
 * Whether an error is a failure of the client, such as in a `catch`. Then `switch (error._tag)` narrows it to one class. Compares `_tag` and `kind` and not
 * the class, so that it also knows the failures of another copy of the package.
 */
export const isMailClientFailure: (error: unknown) => error is MailClientFailure = failureGuard<MailClientFailure>({
  ...serviceFailureKinds,
  MailUnreachable: "unavailable",
  UnexpectedResponse: "unexpected_response"
})

/** What a failure says about the call. */
export interface CallFacts {
  readonly operation: OperationId
  /** The ids of the call, in the order of the path. */
  readonly ids: ReadonlyArray<string>
  /** The sender domain of a send; `null` for every other call. */
  readonly domain: string | null
}

/** An error of the wire. */
export interface WireError {
  readonly status: number
  readonly error: string
  readonly message: string
  readonly body: Readonly<Record<string, unknown>>
  /** The header field `Retry-After`. */
  readonly retryAfterMillis?: number | undefined
}

/** Loads the classes of the core. The second call is fast. */
const loadClasses = () => import("@mailkeep/core/failures")
type Classes = Awaited<ReturnType<typeof loadClasses>>

const argumentOfContext = { path: "ids", headers: "options", query: "filters", body: "input" } as const

/** Makes an `InvalidArgument` for an input that no request can carry. */
export const invalidArgument = async (
  argument: InvalidArgument["argument"],
  issues: ReadonlyArray<Issue>
): Promise<InvalidArgument> => new (await loadClasses()).InvalidArgument({ argument, issues })

/** The interface leaves the form of an issue open, so another server may have another one. */
const isIssue = (value: unknown): value is Issue =>
  isRecord(value) &&
  Array.isArray(value["path"]) &&
  value["path"].every((part) => typeof part === "string" || typeof part === "number") &&
  typeof value["code"] === "string" &&
  typeof value["message"] === "string"

interface WireDetails {
  readonly context: keyof typeof argumentOfContext
  readonly issues: ReadonlyArray<Issue>
}

const isDetails = (value: unknown): value is WireDetails =>
  isRecord(value) &&
  Object.hasOwn(argumentOfContext, String(value["context"])) &&
  Array.isArray(value["issues"]) &&
  value["issues"].every(isIssue)

/** Returns `undefined` for details of another form. */
const invalidArgumentOf = ({ InvalidArgument }: Classes, group: string, { status, body }: WireError) => {
  if (status === 413) {
    const issue = { path: [], code: "too_large", message: "is too large for one request" } as const
    return new InvalidArgument({ argument: "input", issues: [issue] })
  }
  const details = body["details"]
  if (!isDetails(details)) return undefined
  const { context, issues } = details
  const argument = argumentOfContext[context]
  const pathOf = ({ path }: Issue): Issue["path"] =>
    argument === "options" && path[0] === "idempotency-key" ? ["idempotencyKey"] : toInputPath(group, path)
  return new InvalidArgument({ argument, issues: issues.map((one) => ({ ...one, path: pathOf(one) })) })
}

/** The records of a group of operations, other than contacts, messages and deliveries, and the field that is their name. */
const recordOfGroup = {
  properties: { record: "property", field: "key" },
  lists: { record: "list", field: "name" },
  segments: { record: "segment", field: "name" },
  suppressions: { record: "suppression", field: "email" },
  domains: { record: "domain", field: "domain" },
  templates: { record: "template", field: "alias" },
  webhooks: { record: "webhook", field: "url" }
} as const

/** The group of an operation, such as `contacts`. */
export const groupOf = (operation: OperationId): string => operation.slice(0, operation.indexOf("."))

const recordOf = (operation: OperationId) => recordOfGroup[groupOf(operation) as keyof typeof recordOfGroup]

/** The failures that only the operations of one group have. The first of each kind is the one for a message that is not known. */
const failuresOfGroup = (classes: Classes, { operation, ids, domain }: CallFacts): ReadonlyArray<MailRefusal> => {
  const [id = "", otherId = ""] = ids
  switch (groupOf(operation)) {
    case "messages":
      return [
        ...(ids.length > 0 ? [] : [new classes.SenderDomainNotVerified({ domain: domain ?? "" })]),
        new classes.SenderOutsideScope({ domain }),
        new classes.MessageNotFound({ messageId: id }),
        new classes.MessageNotScheduled({ messageId: id as MessageId, deliveryId: null })
      ]
    case "logs":
      return [new classes.DeliveryNotFound({ deliveryId: id })]
    case "contacts":
      return [new classes.ContactNotFound({ contactId: id }), new classes.ContactEmailTaken({ field: "email" })]
    case "properties":
      return operation === "properties.update" ? [new classes.PropertyInUse({ propertyId: id })] : []
    case "domains":
      return [new classes.DomainTaken({ domainId: null }), new classes.SenderOutsideScope({ domain: null })]
    case "templates":
      return (["archived", "no_draft"] as const).map(
        (reason) => new classes.TemplateNotEditable({ templateId: id, reason })
      )
    case "lists":
      return [new classes.RecordNotFound({ record: "list", id }), new classes.ContactNotFound({ contactId: otherId })]
    case "webhooks":
      return [
        new classes.RecordNotFound({ record: "webhook", id }),
        new classes.RecordNotFound({ record: "event delivery", id: otherId }),
        new classes.RecordNotFound({ record: "event", id: otherId })
      ]
    default:
      return []
  }
}

const failuresOfRecord = (classes: Classes, { operation, ids }: CallFacts): ReadonlyArray<MailRefusal> => {
  const named = recordOf(operation)
  if (named === undefined) return []
  const { record, field } = named
  const id = record === "suppression" ? "" : (ids[0] ?? "")
  return [new classes.RecordNotFound({ record, id }), new classes.NameTaken({ record, field })]
}

/** The failures whose messages have a fact that is nowhere else in the response. */
const failuresOfMessage = (classes: Classes, { operation }: CallFacts, text: string): ReadonlyArray<MailRefusal> => {
  const permission = /\bemail\.(?:send|full_access)\b/.exec(text)?.[0] as Permission | undefined
  const max = Number(/ its limit of (\d+) /.exec(text)?.[1] ?? Number.NaN)
  const seconds = Number(/ longer than ([\d.]+) seconds/.exec(text)?.[1] ?? Number.NaN)
  const record = recordOf(operation)?.record
  return [
    ...(permission === undefined ? [] : [new classes.PermissionMissing({ permission })]),
    ...(Number.isNaN(seconds) ? [] : [new classes.ContactFilterTooSlow({ millis: seconds * 1000 })]),
    ...(Number.isNaN(max) || record === undefined
      ? []
      : operation === "lists.putContact"
        ? [new classes.TooManyRecords({ record, max, owner: "contact" })]
        : [new classes.TooManyRecords({ record, max })])
  ]
}

/** The answer of Mailkeep to a path that it does not know. */
const unknownPath = "There is nothing at this path."

/**
 * The failure of a refusal. The interface does not name the class. Among the failures of the operation with the same `error`, the message decides;
 * another server may have other messages, and then the first one is taken.
 */
const refusalOf = (classes: Classes, { error, message }: WireError, facts: CallFacts): MailRefusal | undefined => {
  if (error === "unauthorized") return new classes.InvalidApiKey()
  if (message === unknownPath) return undefined
  const stated = failuresOfMessage(classes, facts, message).find(({ kind }) => kind === error)
  if (stated !== undefined) return stated
  const possible = [...failuresOfGroup(classes, facts), ...failuresOfRecord(classes, facts)].filter(
    ({ kind }) => kind === error
  )
  return possible.find((one) => one.message === message) ?? possible[0]
}

const unexpected = ({ status, error, message, body }: WireError): UnexpectedResponse =>
  new UnexpectedResponse({
    status,
    detail: shownText(`${error}: ${message}`).trim(),
    correlationId: typeof body["correlationId"] === "string" ? body["correlationId"] : null
  })

const isRateLimitCode = (code: unknown): boolean => code === undefined || code === "RATE_LIMITED"

/** Whether the answer is the refusal by a rate limit, so that the call has had no effect. */
export const isRateLimit = (status: number, body: unknown): boolean =>
  status === 429 && (!isRecord(body) || isRateLimitCode(body["code"]))

/** The failure of a 429. */
const limitOf = (classes: Classes, wire: WireError): MailClientFailure => {
  const { code, scope, retryAfterSeconds } = wire.body
  if (isRateLimitCode(code))
    return new classes.RateLimited({
      scope: scope === "project" ? scope : "api_key",
      retryAfterSeconds:
        typeof retryAfterSeconds === "number" ? retryAfterSeconds : Math.ceil((wire.retryAfterMillis ?? 1000) / 1000)
    })
  const reached = new classes.PlanLimitReached({ code: code as PlanLimitCode })
  // The interface leaves the codes of a plan open. The core has no message for another code.
  return typeof reached.message === "string" ? reached : unexpected(wire)
}

/** The failure of an error of the wire. An error that no failure of the core has, such as that of an unknown path, is an `UnexpectedResponse`. */
export const toFailure = async (wire: WireError, facts: CallFacts): Promise<MailClientFailure> => {
  const { status, error } = wire
  if (status === 408)
    return new MailUnreachable({ reason: "timeout", detail: "because the request arrived too slowly" })
  const classes = await loadClasses()
  const invalid = error === "invalid_argument" ? invalidArgumentOf(classes, groupOf(facts.operation), wire) : undefined
  if (invalid !== undefined) return invalid
  if (error === "too_many_requests") return limitOf(classes, wire)
  const found = refusalOf(classes, wire, facts)
  if (found !== undefined) return found
  return error === "unavailable" ? new classes.StoreUnavailable({ reason: "unreachable" }) : unexpected(wire)
}

/** The failure of a call with an id that no path can contain, at this position. Such an id matches no record. */
export const notFound = async (facts: CallFacts, at: number): Promise<MailRefusal> => {
  const classes = await loadClasses()
  const possible = [...failuresOfGroup(classes, facts), ...failuresOfRecord(classes, facts)]
  return possible.filter(({ kind }) => kind === "not_found")[at]!
}
