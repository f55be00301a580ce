/**
 * Tests of the reference page of failures.
 */
import { RateLimited } from "@mailkeep/core"
import { describe, expect, it } from "vitest"
import { commentsOf, failurePage, failureRows } from "../src/failurePage.ts"

describe("failureRows", () => {
  it("has a status for each failure with a kind, and a reason for each", () => {
    const rows = failureRows()
    expect(rows.filter(({ kind, status }) => (kind === undefined) !== (status === undefined))).toEqual([])
    expect(rows.filter(({ retry }) => !/^(?:Retryable|Not retryable)\b/.test(retry))).toEqual([])
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["InvalidArgument", "RateLimited", "StoreUnavailable", "Conflict", "MalformedCsv"])
    )
  })

  it("takes the kind and the status of a failure from its class and from the HTTP binding", () => {
    const row = failureRows().find(({ name }) => name === "RateLimited")
    expect(row).toMatchObject({ kind: "too_many_requests", status: 429, retry: "Retryable after `retryAfterSeconds`." })
    expect(new RateLimited({ scope: "project", retryAfterSeconds: 3 }).isRetryable).toBe(true)
  })
})

describe("commentsOf", () => {
  const source = [
    "/**",
    " * It is late.",
    " * By minutes.",
    " */",
    'export class Late extends Data.TaggedError("Late")<{}> {',
    "  /** Retryable. */",
    "  get isRetryable() {",
    "    return true",
    "  }",
    "}",
    "",
    'export class Early extends Data.TaggedError("Early")<{}> {',
    "  get isRetryable() {",
    "    return true",
    "  }",
    "}",
    "",
    "/** It is refused. */",
    'export class Refused extends NotRetryable("Refused", "not_found", "No.")<{',
    "  readonly id: string",
    "}> {",
    "  /** Not retryable. */",
    "  declare readonly isRetryable: boolean",
    "}",
    ""
  ].join("\n")

  it("reads the comments of a class and of its getter", () => {
    expect(commentsOf("Late", source)).toEqual({ occurs: "It is late. By minutes.", retry: "Retryable." })
  })

  it("reads the comments of a failure and of its declared field", () => {
    expect(commentsOf("Refused", source)).toEqual({ occurs: "It is refused.", retry: "Not retryable." })
  })

  it("finds no comment that belongs to another class", () => {
    expect(commentsOf("Early", source)).toEqual({ occurs: undefined, retry: undefined })
  })
})

describe("failurePage", () => {
  it("lists each failure once", () => {
    const page = failurePage()
    for (const { name } of failureRows()) expect(page.split(`| \`${name}\` |`)).toHaveLength(2)
  })
})
