import { detail, expectBalanced, withTestMail, project, send, stores } from "@mailkeep/test-support"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { ImportedRow } from "../../../src/index.ts"
import { ContactFiles, Contacts, Properties } from "../../../src/index.ts"
import { readCsv, writeCsvRow } from "../../../src/node/csv.ts"

async function* pieces(text: string, size: number) {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const importText = (text: string, update = false) =>
  Effect.gen(function* () {
    const files = yield* ContactFiles
    const results = yield* Stream.runCollect(files.importRows(project, readCsv(pieces(text, 7)), { update }))
    return results.toSorted((a, b) => a.line - b.line)
  })

const exportedText = Effect.gen(function* () {
  const rows = yield* Stream.runCollect((yield* ContactFiles).exportRows(project))
  return rows.map(writeCsvRow).join("")
})

const page = Effect.flatMap(Contacts, (contacts) => contacts.list(project, { limit: 100 }))

describe.each(stores)("a file of contacts, over $name", (store) => {
  it("imports a file row by row, and reports each refused row by its line", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* (yield* Properties).create(project, { key: "Plan", type: "string" })
        yield* (yield* Properties).create(project, { key: "visits", type: "number" })
        const results = yield* importText(
          [
            "\ufeffEmail,First_Name,plan,visits,email_status",
            'ada@example.org,"Ada, ""the first""",gold,7,',
            "not an address,x,y,1,",
            '"bob@example.org",Bob,,,UNSUBSCRIBED',
            '"eve@example.org","line\nbreak",,,',
            "",
            "ada@example.org,again,,,",
            "cat@example.org,Cat,free,many,",
            "dan@example.org,too few"
          ].join("\r\n")
        )
        expect(
          results.map(({ line, outcome, issues }) => [
            line,
            outcome,
            ...issues.map(({ path, code }) => `${path.join(".")} ${code}`)
          ])
        ).toEqual([
          [2, "created"],
          [3, "refused", "email invalid_value"],
          [4, "created"],
          [6, "refused", "firstName invalid_value"],
          [8, "refused", "email duplicate_error"],
          [9, "refused", "properties.visits invalid_type"],
          [10, "refused", " invalid_value"]
        ])
        expect(
          (yield* page).items
            .map(({ email, firstName, emailStatus, source }) => [email, firstName, emailStatus, source])
            .toSorted()
        ).toEqual([
          ["ada@example.org", 'Ada, "the first"', "subscribed", "import"],
          ["bob@example.org", "Bob", "unsubscribed", "import"]
        ])
        yield* expectBalanced
      })
    ))

  it.each([
    ["email\nADA@example.org\n", "unsubscribed"],
    ["email,email_status\nADA@example.org,\n", "unsubscribed"],
    ["email,email_status\nADA@example.org,unsubscribed\n", "unsubscribed"],
    ["email,email_status\nADA@example.org,subscribed\n", "subscribed"]
  ])("imports %j, whose person unsubscribed and has no contact any more, as %s", (text, status) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const { id, email } = yield* contacts.create(project, { email: "ada@example.org" })
        yield* contacts.update(project, id, { email, emailStatus: "unsubscribed" })
        yield* contacts.delete(project, id)
        expect(yield* importText(text, true)).toMatchObject([{ outcome: "created" }])
        expect(yield* contacts.findByEmail(project, email)).toMatchObject({ emailStatus: status })
        const { deliveryIds } = yield* send("k", { to: email })
        expect((yield* detail(deliveryIds[0]!)).reason).toBe(status === "unsubscribed" ? "unsubscribed" : null)
        yield* expectBalanced
      })
    )
  )

  it("updates existing contacts with the update option, and keeps fields without a column", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* (yield* Properties).create(project, { key: "plan", type: "string" })
        yield* (yield* Properties).create(project, { key: "tier", type: "string" })
        const contacts = yield* Contacts
        const { id } = yield* contacts.create(project, {
          email: "ada@example.org",
          lastName: "Lovelace",
          phoneNumber: "1",
          properties: { plan: "free", tier: "a" }
        })
        const results = yield* importText("email,first_name,phone_number,plan\nADA@example.org,Ada,,gold\n", true)
        expect(results).toMatchObject([{ outcome: "updated" }])
        expect(yield* contacts.get(project, id)).toMatchObject({
          email: "ADA@example.org",
          firstName: "Ada",
          lastName: "Lovelace",
          phoneNumber: null,
          source: "manual",
          properties: { plan: "gold", tier: "a" }
        })
      })
    ))

  it("imports an empty cell of the identifier as no identifier, for a new and for an existing contact", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        yield* contacts.create(project, { email: "ada@example.org", userId: "u1" })
        yield* contacts.create(project, { email: "eve@example.org", userId: "u2" })
        yield* importText("email,user_id\nada@example.org,\nbob@example.org,\ncat@example.org,u3\n", true)
        yield* importText("email\neve@example.org\n", true)
        expect((yield* page).items.map(({ email, userId }) => [email, userId]).toSorted()).toEqual([
          ["ada@example.org", null],
          ["bob@example.org", null],
          ["cat@example.org", "u3"],
          ["eve@example.org", "u2"]
        ])
      })
    ))

  it("creates the first of two rows with one address, and updates it with the second and the update option", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const rows = Array.from({ length: 150 }, (_, n) => `a${n}@example.org,First\n`).join("")
        expect((yield* importText(`email,first_name\n${rows}A7@example.org,Second\n`)).at(-1)).toMatchObject({
          line: 152,
          outcome: "refused",
          issues: [{ path: ["email"] }]
        })
        const results = yield* importText("email,first_name\nb@example.org,First\nB@example.org,Second\n", true)
        expect(results.map(({ outcome }) => outcome)).toEqual(["created", "updated"])
        const { items } = yield* (yield* Contacts).list(project, { search: "b@example.org" })
        expect(items).toMatchObject([{ email: "B@example.org", firstName: "Second" }])
        yield* expectBalanced
      })
    ))

  it.each([
    ["no address", "first_name\nAda", [["columns"], "required"]],
    ["an unknown column", "email,shoe\na@x.example,9", [["columns", 1], "undefined_property"]],
    ["a column twice", "email,EMAIL\na@x.example,b@x.example", [["columns", 1], "invalid_value"]],
    ["no column", "", [["columns"], "required"]]
  ] as const)("refuses a file whose first row has %s", (_, text, [path, code]) =>
    withTestMail(store)(
      Effect.gen(function* () {
        expect(yield* Effect.flip(importText(text))).toMatchObject({ issues: [{ path, code }] })
        expect((yield* page).total).toBe(0)
      })
    )
  )

  it("refuses a row with a quote in a wrong place alone", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const results = yield* importText('email,first_name\na@x.example,A\nb@x.example,B "C" D\nc@x.example,C\n')
        expect(results).toMatchObject([
          { line: 2, outcome: "created" },
          {
            line: 3,
            outcome: "refused",
            issues: [{ code: "invalid_value", message: expect.stringContaining("quote") }]
          },
          { line: 4, outcome: "created" }
        ])
        expect(yield* Effect.flip(importText('email,"first"_name\na@x.example,A'))).toMatchObject({
          issues: [{ path: ["columns"], message: expect.stringContaining("quote") }]
        })
      })
    ))

  it("refuses a row with a text that is too long for any property", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        for (const [key, type] of [
          ["plan", "string"],
          ["since", "date"],
          ["visits", "number"]
        ] as const)
          yield* (yield* Properties).create(project, { key, type })
        const long = "x".repeat(501)
        // Each of these characters is two units of UTF-16.
        const rows = [
          `a@x.example,${"😀".repeat(500)},,`,
          `b@x.example,${long},,`,
          `c@x.example,,${long},`,
          `d,${long},,${long}`
        ]
        const results = yield* importText(["email,plan,since,visits", ...rows].join("\n"))
        const found = results.map(({ issues }) => issues.map(({ path, code }) => `${path.join(".")} ${code}`))
        expect(found).toEqual([
          [],
          ["properties.plan too_long"],
          ["properties.since invalid_type"],
          ["email invalid_value", "properties.plan too_long", "properties.visits invalid_type"]
        ])
      })
    ))

  it("fails with MalformedCsv after all rows before it have ended", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const rows = Array.from({ length: 700 }, (_, n) => `a${n}@x.example\n`).join("")
        const results: Array<ImportedRow> = []
        const files = yield* ContactFiles
        const failure = yield* Effect.flip(
          Stream.runForEach(files.importRows(project, readCsv(pieces(`email\n${rows}"b@x.example\n`, 4096))), (row) =>
            Effect.sync(() => results.push(row))
          )
        )
        expect(failure).toMatchObject({ _tag: "MalformedCsv", line: 702 })
        expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 700 }, () => "created"))
        expect((yield* page).total).toBe(700)
      })
    ))

  it("exports a file that another project imports with the same contacts", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const other = "prj_other"
        for (const id of [project, other]) yield* (yield* Properties).create(id, { key: "Plan", type: "string" })
        yield* importText(
          'email,first_name,plan,email_status\na@x.example,"A ""B"", C",gold,\nb@x.example,,,unsubscribed\n'
        )
        const text = yield* exportedText
        expect(text.split("\r\n")[0]).toBe(
          "id,email,user_id,first_name,last_name,phone_number,email_status,source,created_at,updated_at,Plan"
        )
        const files = yield* ContactFiles
        const results = yield* Stream.runCollect(files.importRows(other, readCsv(pieces(text, 11))))
        expect(results.map(({ outcome }) => outcome)).toEqual(["created", "created"])
        const shown = Effect.fnUntraced(function* (projectId: string) {
          const contacts = yield* Contacts
          const { items } = yield* contacts.list(projectId)
          const details = yield* Effect.forEach(items, ({ id }) => contacts.get(projectId, id))
          return details
            .map(({ email, firstName, emailStatus, properties }) => [email, firstName, emailStatus, properties])
            .toSorted()
        })
        expect(yield* shown(other)).toEqual(yield* shown(project))
      })
    ))
})
