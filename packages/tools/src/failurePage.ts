/**
 * The reference page of failures: each exported failure class with its kind, when it occurs, whether to retry, and its HTTP status.
 * The classes are those that the entries of the core export, so that none can be missing. Their comments are the text of the page.
 */
import * as core from "@mailkeep/core"
import * as adapter from "@mailkeep/core/adapter"
import * as csv from "@mailkeep/core/node/csv"
import { statuses } from "../../http/src/server/failureResponse.ts"
import { generatedNotice, table } from "./markdown.ts"
import { files, read } from "./workspace.ts"

export interface FailureRow {
  readonly name: string
  readonly kind: string | undefined
  readonly status: number | undefined
  readonly occurs: string
  readonly retry: string
}

type FailureClass = new (facts: object) => { readonly kind?: string; readonly isRetryable?: boolean }

const isFailureClass = (value: unknown): value is FailureClass =>
  typeof value === "function" && value.prototype instanceof Error

/** The text of a doc comment in one line. */
const textOf = (comment: string | undefined): string | undefined =>
  comment
    ?.replaceAll(/^\s*\/?\*+\/? ?|\s*\*\/$/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim()

/** A doc comment that ends directly before what follows it. */
const comment = String.raw`(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*`

/** The comments of a failure class and of its `isRetryable`, from the source of the class. */
export const commentsOf = (
  name: string,
  source: string
): { readonly occurs: string | undefined; readonly retry: string | undefined } | undefined => {
  const start = source.search(new RegExp(`export class ${name} extends (?:Data\\.TaggedError|NotRetryable)\\(`))
  if (start === -1) return undefined
  const end = source.indexOf("\n}\n", start)
  const before = new RegExp(`${comment}$`).exec(source.slice(0, start))?.[1]
  const getter = new RegExp(`${comment}(?:(?:override )?get|declare readonly) isRetryable\\b`).exec(
    source.slice(start, end)
  )?.[1]
  return { occurs: textOf(before), retry: textOf(getter) }
}

const statusOf = (kind: string | undefined): number | undefined =>
  Object.entries(statuses).find(([known]) => known === kind)?.[1]

/** Every failure of the core, sorted by HTTP status and name. Throws when a failure lacks a comment or `isRetryable`. */
export const failureRows = (): ReadonlyArray<FailureRow> => {
  const sources = files("packages/core/src/**/*.ts").map(read)
  const classes = Object.entries({ ...core, ...adapter, ...csv }).filter(([, value]) => isFailureClass(value))
  return classes
    .map(([name, value]): FailureRow => {
      const { kind, isRetryable } = new (value as FailureClass)({})
      const { occurs, retry } = sources.flatMap((source) => commentsOf(name, source) ?? [])[0] ?? {}
      if (occurs === undefined) throw new Error(`The failure ${name} has no comment that says when it occurs.`)
      if (retry === undefined || typeof isRetryable !== "boolean")
        throw new Error(`The failure ${name} has no \`isRetryable\` with a comment.`)
      return { name, kind, status: statusOf(kind), occurs, retry }
    })
    .toSorted((a, b) => (a.status ?? 999) - (b.status ?? 999) || a.name.localeCompare(b.name, "en"))
}

const code = (text: string | number | undefined): string => (text === undefined ? "" : `\`${text}\``)

export const failurePage = (): string => {
  const rows = failureRows()
  const answered = rows.filter(({ status }) => status !== undefined)
  const others = rows.filter(({ status }) => status === undefined)
  return `${generatedNotice("the failure classes of packages/core/src")}
# Failures

A failure is a tagged error: \`Effect.catchTag\` and \`catch\` find it by \`_tag\`, which is its name. Its facts are fields. \`isRetryable\` says whether
the same call can succeed later, without a change of its arguments or of the stored records.

## Failures of the services

\`kind\` is the word of the interface. Over HTTP it is the field \`error\` of the body. \`RateLimited\` and the failures with the status 503 also
have the header \`Retry-After\`. A failure that is not in this table is a bug: the HTTP binding logs it and answers 500 \`internal_error\`.

${table(
  ["Failure", "`kind`", "HTTP", "When it occurs", "`isRetryable`"],
  answered.map(({ name, kind, status, occurs, retry }) => [code(name), code(kind), String(status), occurs, retry])
)}

## Failures of adapters and of opening

These do not reach a client over HTTP. The core handles the failures of adapters. A product sees the others when it opens the core or reads a file.

${table(
  ["Failure", "When it occurs", "`isRetryable`"],
  others.map(({ name, occurs, retry }) => [code(name), occurs, retry])
)}
`
}
