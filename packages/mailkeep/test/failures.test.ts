/**
 * The union of the failures of a mail, and its type guard. The compiler proves by the type `Run` that each method rejects only with this union.
 */
import { readFileSync } from "node:fs"
import { serviceFailureKinds } from "@mailkeep/core/handle/calls"
import { Data } from "effect"
import { describe, expect, expectTypeOf, it } from "vitest"
import {
  ContactNotFound,
  InvalidArgument,
  isMailFailure,
  MasterSecretRefused,
  memory,
  openMail,
  PlanLimitReached,
  smtp,
  StoreNotOpened,
  StoreUnavailable,
  stub,
  TransactionRefused
} from "../src/index.ts"
import type { MailFailure } from "../src/index.ts"
import { rejection } from "./testMail.ts"

const handles = ["ContactsHandle", "DeliveriesHandle", "DomainsHandle", "EmbeddedProject", "SendingHandle"]
const sources = [
  ...[...handles, "TemplatesHandle", "WebhooksHandle"].map((name) => `../../core/src/handle/${name}.ts`),
  ...["Mail", "openMail", "TransactionSends"].map((name) => `../src/${name}.ts`)
]

/** The classes that a comment names after "rejects with", "throws" and "fails with". */
const documentedIn = (source: string): ReadonlyArray<string> => {
  const text = readFileSync(new URL(source, import.meta.url), "utf8").replaceAll(/\n\s*\*/g, "")
  const sentences = text.match(/\b(?:[Rr]ejects|[Tt]hrows|fails) [^.]*/g) ?? []
  return sentences.flatMap((sentence) => [...sentence.matchAll(/`([A-Z]\w+)`/g)].map(([, name = ""]) => name))
}

/** Names of these sentences that are no failure: an error of wrong code, and the interfaces whose functions or methods reject. */
const isNoFailure: ReadonlySet<string> = new Set(["TypeError", "OutboxSource", "Mail"])

/** An error with the tag and the kind of a failure, as another copy of the package makes it. */
const copyOf = ({ _tag, kind }: { readonly _tag: string; readonly kind?: string | undefined }) =>
  Object.assign(new Error(_tag), { _tag, isRetryable: false }, kind === undefined ? {} : { kind })

const kindOf: ReadonlyMap<string, string> = new Map(Object.entries(serviceFailureKinds))

const failures: ReadonlyArray<MailFailure> = [
  new InvalidArgument({ argument: "input", issues: [] }),
  new ContactNotFound({ contactId: "con_1" }),
  new StoreUnavailable({ reason: "locked" }),
  new StoreNotOpened({ reason: "locked", where: "mail.db" }),
  new MasterSecretRefused({ reason: "too_short" }),
  new TransactionRefused({ reason: "not_open" })
]

describe("isMailFailure", () => {
  it.each(failures)("knows the failure $_tag, also of another copy of the class", (failure) => {
    expect(isMailFailure(failure)).toBe(true)
    expect(isMailFailure(copyOf(failure))).toBe(true)
  })

  it.each([
    ["an abort", new DOMException("aborted", "AbortError")],
    ["a TypeError", new TypeError("x")],
    ["an error of the product with the same tag", new (class extends Data.TaggedError("RateLimited") {})()],
    ["an error of the product with the tag of a failure without a kind", copyOf({ _tag: "StoreNotOpened", kind: "x" })],
    ["an object with the fields of a failure", { _tag: "RateLimited", kind: "too_many_requests", isRetryable: true }],
    ["null", null]
  ])("takes %s for no failure of Mailkeep", (_, error) => {
    expect(isMailFailure(error)).toBe(false)
  })

  it.each(sources)("knows each failure that the comments of %s name", (source) => {
    const documented = documentedIn(source).filter((name) => !isNoFailure.has(name))
    expect(documented).not.toEqual([])
    expect(documented.filter((name) => !isMailFailure(copyOf({ _tag: name, kind: kindOf.get(name) })))).toEqual([])
  })

  it("knows the failures of calls and of the opening", async () => {
    const mail = await openMail({ store: memory(), transport: stub(), background: false })
    const message = { from: "hi@acme.example", to: "ada@example.org", subject: "x", text: "x" }
    expect(isMailFailure(await rejection(mail.send(message)))).toBe(true)
    await mail.close()
    expect(await rejection(mail.send(message))).toMatchObject({ _tag: "StoreUnavailable", reason: "closed" })
    const opened = await rejection(openMail({ store: memory(), transport: smtp("http://relay.example") }))
    expect(opened).toMatchObject({ _tag: "SmtpOptionsInvalid" })
    expect(isMailFailure(opened)).toBe(true)
  })

  it("narrows an error by its tag and its code", () => {
    const error: unknown = new PlanLimitReached({ code: "contact_limit_exceeded" })
    if (!isMailFailure(error)) throw error
    expectTypeOf(error).toEqualTypeOf<MailFailure>()
    if (error._tag === "PlanLimitReached") expectTypeOf(error.code).not.toBeAny()
    if (error._tag === "TransactionRefused") expectTypeOf(error).toEqualTypeOf<TransactionRefused>()
    expect(error._tag).toBe("PlanLimitReached")
  })
})
