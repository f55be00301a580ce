/**
 * The failures of the client: what a caller sees, and what never appears in one.
 */
import { InvalidApiKey, InvalidArgument, PermissionMissing, StoreUnavailable, TransactionRefused } from "@mailkeep/core"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import type { ProjectHandle } from "@mailkeep/core/handle"
import type { ConnectMailOptions } from "../../src/client.ts"
import { connectMail, isMailClientFailure, MailUnreachable, UnexpectedResponse } from "../../src/client.ts"
import { apiKey, emptyPage, fetchError, json, rejection, scriptedClient, settled, wireError } from "./scriptedFetch.ts"

const message = { from: "Acme <hi@ACME.example>", to: "ada@example.org", subject: "Welcome", text: "Hello." }

const failureOf = (answer: () => Response | Error, call: (mail: ProjectHandle) => Promise<unknown>) =>
  rejection(call(scriptedClient([answer], { retries: 0 }).mail))

const list = (mail: ProjectHandle) => mail.deliveries.list()

describe("failures of the client", () => {
  it("shows an API key that is not valid", async () => {
    const failure = await failureOf(() => wireError(401, "unauthorized"), list)
    expect(failure).toBeInstanceOf(InvalidApiKey)
    expect(failure).toMatchObject({ kind: "unauthorized", isRetryable: false })
  })

  it("names the missing permission", async () => {
    const text = "The API key lacks the permission email.full_access."
    const failure = await failureOf(() => wireError(403, "not_allowed", { message: text }), list)
    expect(failure).toBeInstanceOf(PermissionMissing)
    expect(failure).toMatchObject({ permission: "email.full_access", message: text })
  })

  it("distinguishes a domain outside the scope of the API key from one that is not verified", async () => {
    const outside = { message: "The API key's domain scope does not allow this sender domain." }
    expect(
      await failureOf(
        () => wireError(403, "not_allowed", outside),
        (mail) => mail.send(message)
      )
    ).toMatchObject({
      _tag: "SenderOutsideScope",
      domain: "acme.example"
    })
    expect(
      await failureOf(
        () => wireError(403, "not_allowed", outside),
        (mail) => mail.cancel("msg_1")
      )
    ).toMatchObject({
      _tag: "SenderOutsideScope",
      domain: null
    })
    expect(
      await failureOf(
        () => wireError(403, "not_allowed"),
        (mail) => mail.send(message)
      )
    ).toMatchObject({
      _tag: "SenderDomainNotVerified",
      domain: "acme.example"
    })
  })

  it.each([
    ["MessageNotFound", (mail: ProjectHandle) => mail.cancel("msg_1"), 404, "not_found"],
    ["MessageNotScheduled", (mail: ProjectHandle) => mail.cancel("msg_1"), 409, "conflict"],
    ["DeliveryNotFound", (mail: ProjectHandle) => mail.deliveries.get("del_1"), 404, "not_found"],
    ["ContactNotFound", (mail: ProjectHandle) => mail.contacts.get("con_1"), 404, "not_found"],
    ["RecordNotFound", (mail: ProjectHandle) => mail.domains.get("dom_1"), 404, "not_found"],
    [
      "ContactEmailTaken",
      (mail: ProjectHandle) => mail.contacts.create({ email: "a@b.example" }),
      409,
      "duplicate_error"
    ],
    ["DomainTaken", (mail: ProjectHandle) => mail.domains.create({ domain: "b.example" }), 409, "duplicate_error"],
    ["NameTaken", (mail: ProjectHandle) => mail.lists.create({ name: "a" }), 409, "duplicate_error"]
  ])("converts an error with another message to %s", async (tag, call, status, error) => {
    expect(await failureOf(() => wireError(status, error), call)).toMatchObject({ _tag: tag, kind: error })
  })

  it("says that a path is unknown instead of a record", async () => {
    const unknown = () => wireError(404, "not_found", { message: "There is nothing at this path." })
    const failure = await failureOf(unknown, (mail) => mail.contacts.get("con_1"))
    expect(failure).toBeInstanceOf(UnexpectedResponse)
    expect(failure).toMatchObject({ status: 404, correlationId: "req_1", isRetryable: false })
  })

  it("converts a store that is unavailable, and a filter that takes too long", async () => {
    expect(await failureOf(() => wireError(503, "unavailable"), list)).toBeInstanceOf(StoreUnavailable)
    const slow = {
      message:
        "Filtering the contacts took longer than 5 seconds. Use a narrower search or segment, or try again later."
    }
    const failure = await failureOf(
      () => wireError(503, "unavailable", slow),
      (mail) => mail.contacts.list()
    )
    expect(failure).toMatchObject({ _tag: "ContactFilterTooSlow", millis: 5000, message: slow.message })
  })

  it("converts a body that is too large, and one that arrives too slowly", async () => {
    const failure = await failureOf(
      () => wireError(413, "invalid_argument"),
      (mail) => mail.send(message)
    )
    expect(failure).toBeInstanceOf(InvalidArgument)
    expect(failure).toMatchObject({ argument: "input", issues: [{ path: [], code: "too_large" }] })
    expect(
      await failureOf(
        () => wireError(408, "invalid_argument"),
        (mail) => mail.send(message)
      )
    ).toMatchObject({
      _tag: "MailUnreachable",
      reason: "timeout"
    })
  })

  it.each([
    ["HTML", () => new Response("<html>", { status: 200 })],
    ["an empty body", () => new Response(null, { status: 204 })],
    ["JSON of another form", () => json(200, { data: 7 })],
    ["a time that is none", () => json(200, { data: { items: [{ created_at: "soon" }], limit: 1 } })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://other.example" } })],
    ["an error of another form", () => json(404, { message: "no" })],
    ["an error of a bug", () => wireError(500, "internal_error")]
  ])("rejects with UnexpectedResponse for %s", async (_, answer) => {
    const failure = await failureOf(answer, list)
    expect(failure).toBeInstanceOf(UnexpectedResponse)
    expect(failure).toMatchObject({ kind: "unexpected_response", isRetryable: false })
  })

  it.each([
    ["no issues", { context: "body" }],
    ["issues that are no list", { context: "body", issues: { length: 1 } }],
    ["an issue that is null", { context: "body", issues: [null] }],
    ["an issue without a path", { context: "body", issues: [{ code: "required", message: "is required" }] }],
    ["an issue with a text as its path", { context: "body", issues: [{ path: "to", code: "a", message: "b" }] }],
    ["an unknown context", { context: "constructor", issues: [] }]
  ])("rejects with UnexpectedResponse for a 400 with %s", async (_, details) => {
    const failure = await failureOf(() => wireError(400, "invalid_argument", { details }), list)
    expect(failure).toBeInstanceOf(UnexpectedResponse)
    expect(failure).toMatchObject({
      status: 400,
      correlationId: "req_1",
      message: "The mail server answered with the status 400: invalid_argument: Refused."
    })
  })

  it.each([[undefined], ["toString"], ["other_limit_exceeded"]])(
    "rejects with a message for a 429 with the code %s of another server",
    async (code) => {
      const answer = () => wireError(429, "too_many_requests", { code }, { "retry-after": "7" })
      const failure = await failureOf(answer, list)
      expect(failure).toMatchObject(
        code === undefined
          ? { _tag: "RateLimited", retryAfterSeconds: 7, message: "Too many requests. Retry after 7 seconds." }
          : { _tag: "UnexpectedResponse", message: expect.stringContaining("429: too_many_requests: Refused.") }
      )
    }
  )

  it("shows the text of a server on one line without control characters, and only its beginning", async () => {
    const text = `\u001b[2J\r\n\u009b31m\u202e${"x".repeat(2_000_000)}`
    const failure = await failureOf(() => wireError(500, "internal_error", { message: text }), list)
    expect((failure as Error).message).toMatch(
      /^The mail server answered with the status 500: internal_error: [ -~]{900,1000}$/
    )
  })

  it("asks fetch to follow no redirect", async () => {
    const { mail, requests } = scriptedClient([emptyPage])
    await settled(mail.deliveries.list())
    expect(requests[0]!.init.redirect).toBe("manual")
  })

  it.each([
    ["https://mail.example/base/api/v1/emails/logs?limit=5", "https://mail.example/base/api/v1/emails/logs"],
    ["/login", "https://mail.example/login"],
    [`https://ada:secret@other.example/${apiKey}`, "https://other.example/[apiKey]"]
  ])("names the address of a redirect to %s, without its secrets", async (location, shown) => {
    const failure = await failureOf(() => new Response(null, { status: 301, headers: { location } }), list)
    expect(failure).toMatchObject({
      status: 301,
      message: `The mail server answered with the status 301: it redirects to ${shown}, and the client follows no redirect: use the final address as url`
    })
  })

  it.each([
    ["a redirect without an address", 302, {}],
    ["a redirect to an address that is none", 308, { location: "http://[" }]
  ])("says that the client follows no redirect for %s", async (_, status, headers) => {
    const failure = await failureOf(() => new Response(null, { status, headers }), list)
    expect(failure).toMatchObject({
      message: `The mail server answered with the status ${status}: it redirects, and the client follows no redirect: use the final address as url`
    })
  })

  it("shows the API key in no failure", async () => {
    const leak = (text: string) => Object.assign(new Error(`${text} Bearer ${apiKey}`), { code: apiKey })
    const answers = [
      () => new Error(`cannot send ${apiKey}`),
      () => new TypeError("fetch failed", { cause: leak("header") }),
      () => wireError(500, "internal_error", { message: `Key ${apiKey}` }),
      () => wireError(403, "not_allowed", { message: `Key ${apiKey}` }),
      () => new Response(apiKey, { status: 200 })
    ]
    for (const answer of answers) {
      const failure = await failureOf(answer, list)
      expect(failure).toBeInstanceOf(Error)
      expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(apiKey)
    }
    const { mail } = scriptedClient([emptyPage])
    expect(inspect(mail, { depth: 10, showHidden: true })).not.toContain(apiKey)
  })

  it("shows the code and the text of a network error", async () => {
    const failure = await failureOf(() => fetchError("ECONNRESET"), list)
    expect(failure).toBeInstanceOf(MailUnreachable)
    expect(failure).toMatchObject({
      name: "MailUnreachable",
      kind: "unavailable",
      isRetryable: true,
      reason: "network",
      code: "ECONNRESET",
      message: "The mail server is unreachable: fetch failed: connect ECONNRESET"
    })
    // A framework may add its own words, and another thread receives the message.
    expect(structuredClone(failure as Error).message).toBe((failure as Error).message)
    ;(failure as Error).message = "Changed."
    expect(failure).toMatchObject({ message: "Changed." })
  })

  it.each<[string, Partial<ConnectMailOptions>]>([
    ["no URL", { url: "mail.example" }],
    ["another scheme", { url: "ftp://mail.example" }],
    ["a password in the URL", { url: "https://user:secret@mail.example" }],
    ["a query in the URL", { url: "https://mail.example?secret=1" }],
    ["a URL object with a password", { url: new URL("https://user:secret@mail.example") }],
    ["a URL object of another scheme", { url: new URL("ftp://mail.example") }],
    ["an empty API key", { apiKey: "" }],
    ["an API key with a line break", { apiKey: "secret\n" }],
    ["no API key", { apiKey: undefined as never }],
    ["no time", { timeoutMillis: 0 }],
    ["a time that no timer has", { timeoutMillis: 2 ** 31 }],
    ["a negative number of retries", { retries: -1 }],
    ["endless retries", { retries: Number.POSITIVE_INFINITY }],
    ["a size of 0", { responseBytesMax: 0 }],
    ["a sender that is not text", { from: 5 as never }],
    ["a fetch that is no function", { fetch: {} as never }],
    ["a controller instead of its signal", { signal: new AbortController() as never }],
    ["an unknown option", { timeout: 5 } as never]
  ])("refuses %s when the client is made, without showing a secret", (_, options) => {
    const make = () => connectMail({ url: "https://mail.example", apiKey, ...options })
    expect(make).toThrow(TypeError)
    expect(make).not.toThrow(/secret/)
  })

  it.each([undefined, null, "https://mail.example"])("refuses %j instead of options", (options) => {
    expect(() => connectMail(options as never)).toThrow("The options of connectMail must be an object.")
  })

  it("takes the address of the server as a URL object, with a slash at its end", async () => {
    const { mail, requests } = scriptedClient([emptyPage], { url: new URL("https://mail.example/mail/") })
    await settled(mail.deliveries.list())
    expect(requests[0]!.url).toBe("https://mail.example/mail/api/v1/emails/logs")
  })

  it("sends requests below the path of the URL", async () => {
    const { mail, requests } = scriptedClient([emptyPage])
    await settled(mail.deliveries.list({ recipient: "a+b@example.org", limit: 7, cursor: null }))
    expect(requests[0]!.url).toBe("https://mail.example/base/api/v1/emails/logs?recipient=a%2Bb%40example.org&limit=7")
    expect(Object.fromEntries(requests[0]!.headers)).toEqual({
      accept: "application/json",
      authorization: `Bearer ${apiKey}`
    })
  })
})

describe("isMailClientFailure", () => {
  it.each([
    [new MailUnreachable({ reason: "network", detail: "x" }), true],
    [new UnexpectedResponse({ status: 502, detail: "x" }), true],
    [new StoreUnavailable({ reason: "locked" }), true],
    [new InvalidApiKey(), true],
    [new TransactionRefused({ reason: "not_open" }), false],
    [new DOMException("aborted", "AbortError"), false]
  ])("recognizes the failures of the client only: %s", (error, expected) => {
    expect(isMailClientFailure(error)).toBe(expected)
  })
})
