/**
 * How each `ProjectHandle` refuses filters, inputs and options of a call that have another form.
 */
import { describe, expect, it } from "vitest"
import type { ProjectHandle } from "../../src/index.ts"
import { all, rejection, welcome } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"
import { issuesOf } from "./issues.ts"

/** Values that are taken for an object without fields unless their form is checked. */
const forms: ReadonlyArray<readonly [name: string, value: unknown]> = [
  ["a Map", new Map([["status", "failed"]])],
  ["a Set", new Set(["failed"])],
  ["a Date", new Date()],
  ["a URL", new URL("https://acme.example/?status=failed")],
  ["a promise", Promise.resolve({})],
  ["an instance without fields", new (class Filters {})()],
  ["a list", []],
  ["null", null],
  ["a number", 5],
  ["a function", () => ({})]
]

const lists: ReadonlyArray<readonly [name: string, list: (mail: ProjectHandle, filter: never) => Promise<unknown>]> = [
  ["deliveries.list", (mail, filter) => mail.deliveries.list(filter)],
  ["deliveries.each", (mail, filter) => all(mail.deliveries.each(filter))],
  ["contacts.list", (mail, filter) => mail.contacts.list(filter)],
  ["contacts.each", (mail, filter) => all(mail.contacts.each(filter))],
  ["lists.list", (mail, filter) => mail.lists.list(filter)],
  ["segments.list", (mail, filter) => mail.segments.list(filter)],
  ["suppressions.list", (mail, filter) => mail.suppressions.list(filter)],
  ["suppressions.each", (mail, filter) => all(mail.suppressions.each(filter))],
  ["templates.list", (mail, filter) => mail.templates.list(filter)],
  ["templates.each", (mail, filter) => all(mail.templates.each(filter))],
  ["templates.listVersions", (mail, filter) => mail.templates.listVersions("receipt", filter)],
  ["domains.list", (mail, filter) => mail.domains.list(filter)],
  ["domains.each", (mail, filter) => all(mail.domains.each(filter))],
  ["webhooks.list", (mail, filter) => mail.webhooks.list(filter)],
  ["webhooks.listEventDeliveries", (mail, filter) => mail.webhooks.listEventDeliveries("whk_1", filter)]
]

export const formCases = ({ open }: HandleUnderTest): void => {
  describe("the form of filters and inputs", () => {
    it.each(forms)("refuses %s as the filters of each list", async (_, value) => {
      const { mail } = await open()
      for (const [name, list] of lists) {
        const refused = await issuesOf(list(mail, value as never))
        expect([name, refused]).toEqual([name, { argument: "filters", issues: [["", "invalid_type"]] }])
      }
    })

    it.each<[string, object, string, string]>([
      ["null as the limit", { limit: null }, "limit", "invalid_type"],
      ["null as an unknown filter", { colour: null }, "colour", "unknown_field"]
    ])("refuses %s of each list", async (_, filters, path, code) => {
      const { mail } = await open()
      for (const [name, list] of lists) {
        // These choose the limit themselves.
        if (path === "limit" && name.endsWith(".each")) continue
        const refused = await issuesOf(list(mail, filters as never))
        expect([name, refused]).toEqual([name, { argument: "filters", issues: [[path, code]] }])
      }
    })

    it.each(forms)("refuses %s as the input of a preview", async (_, value) => {
      const { mail } = await open()
      const refused = await issuesOf(mail.templates.preview("receipt", value as never))
      expect(refused).toEqual({ argument: "input", issues: [["", "invalid_type"]] })
    })

    it("takes an instance of a class with fields as filters", async () => {
      const { mail } = await open()
      class Filters {
        readonly search = "bob"
      }
      await mail.contacts.create({ email: "ada@example.org" })
      expect((await mail.contacts.list(new Filters())).items).toEqual([])
      expect(await all(mail.contacts.each(new Filters()))).toEqual([])
    })

    it.each(forms)("refuses %s as a change, and changes nothing", async (_, value) => {
      const { mail } = await open()
      const contact = await mail.contacts.create({ email: "ada@example.org" })
      const { id: propertyId } = await mail.properties.create({ key: "plan", type: "string" })
      const { id: listId } = await mail.lists.create({ name: "News" })
      const template = await mail.templates.create({ name: "Receipt", subject: "Receipt", text: "Hi." })
      const { webhook } = await mail.webhooks.create({ url: "https://acme.example/hook", events: ["email.delivered"] })
      const change = value as never
      for (const call of [
        () => mail.contacts.update(contact.id, change),
        () => mail.properties.update(propertyId, change),
        () => mail.lists.update(listId, change),
        () => mail.templates.update(template.id, change),
        () => mail.webhooks.update(webhook.id, change)
      ])
        expect(await issuesOf(call())).toEqual({ argument: "input", issues: [["", "invalid_type"]] })
      expect(await mail.contacts.get(contact.id)).toMatchObject(contact)
      expect(await mail.templates.get(template.id)).toEqual(template)
    })
  })
}

export const classInstanceCases = ({ open }: HandleUnderTest): void => {
  describe("an instance of a class in an input", () => {
    it("takes the fields of an instance of a class, also when it has toJSON", async () => {
      const { mail, core } = await open()
      class Order {
        readonly plan = "pro"
        toJSON() {
          return "none"
        }
      }
      await mail.properties.create({ key: "plan", type: "string" })
      const { id } = await mail.contacts.create({ email: "ada@example.org", properties: new Order() as never })
      expect((await mail.contacts.get(id)).properties).toEqual({ plan: "pro" })
      const { deliveryIds } = await mail.send({ ...welcome, metadata: new Order() as never })
      expect((await core.deliveries.get(deliveryIds[0]!)).message.metadata).toEqual({ plan: "pro" })
      class Rule {
        readonly field = "email"
        readonly op = "contains"
        readonly value = "ada"
      }
      const segment = await mail.segments.create({ name: "Ada", filter: new Rule() as never })
      expect(segment.filter).toEqual({ field: "email", op: "contains", value: "ada" })
    })

    it("is refused where a text or an address belongs", async () => {
      const { mail } = await open()
      class Person {
        readonly email = "ada@example.org"
      }
      const person = new Person() as never
      expect((await issuesOf(mail.send({ ...welcome, to: person }))).issues).toEqual([["to", "invalid_type"]])
      expect((await issuesOf(mail.send({ ...welcome, metadata: { person } }))).issues).toEqual([
        ["metadata", "invalid_value"]
      ])
      const filter = { all: [person] }
      expect((await issuesOf(mail.segments.create({ name: "Ada", filter }))).issues).toEqual([
        ["filter", "invalid_value"]
      ])
    })
  })
}

export const jsonValueCases = ({ open }: HandleUnderTest): void => {
  describe("a value that JSON or a query would change", () => {
    const variables = [{ key: "n", type: "number" as const, fallbackValue: Number.NaN }]

    const cases: ReadonlyArray<readonly [string, (mail: ProjectHandle) => Promise<unknown>, string, string]> = [
      [
        "NaN as a property",
        (mail) => mail.contacts.create({ email: "ada@example.org", properties: { score: Number.NaN } }),
        "properties.score must be a finite number",
        "invalid_value"
      ],
      [
        "NaN as a variable of a send",
        (mail) => mail.send({ ...welcome, templateId: "receipt", templateVariables: { n: Number.NaN } }),
        "templateVariables.n must be a finite number",
        "invalid_value"
      ],
      [
        "NaN as a variable of a preview",
        (mail) => mail.templates.preview("receipt", { variables: { n: Number.POSITIVE_INFINITY } }),
        "variables.n must be a finite number",
        "invalid_value"
      ],
      [
        "NaN as the fallback of a variable",
        (mail) => mail.templates.create({ name: "Receipt", subject: "Receipt", text: "Hi.", variables }),
        "variables[0].fallbackValue must be a finite number",
        "invalid_value"
      ],
      [
        "NaN in a filter",
        (mail) => {
          const filter = { field: "properties.score", op: "eq", value: Number.NaN } as const
          return mail.segments.create({ name: "NaN", filter })
        },
        "filter must be JSON, its text well-formed and without U+0000",
        "invalid_value"
      ],
      [
        "an unpaired surrogate in a search",
        (mail) => mail.contacts.list({ search: "\ud800" }),
        "search must be well-formed Unicode without U+0000",
        "invalid_value"
      ],
      [
        "a status that does not exist",
        (mail) => mail.contacts.list({ emailStatus: "gone" as never }),
        "emailStatus must be one of subscribed, unsubscribed",
        "invalid_value"
      ],
      [
        "a status of templates that does not exist",
        (mail) => mail.templates.list({ status: "gone" as never }),
        "status must be one of draft, published, changes_in_draft, archived",
        "invalid_value"
      ]
    ]

    it.each(cases)("refuses %s with the message of every handle", async (_, call, message, code) => {
      const { mail } = await open()
      await mail.properties.create({ key: "score", type: "number" })
      const failure = await rejection(call(mail))
      expect(failure).toMatchObject({ message, issues: [{ code }] })
    })

    it("names the fallback of a property as the caller does", async () => {
      const { mail } = await open()
      const fallbackValue = Number.NaN as never
      const { issues } = await issuesOf(mail.properties.create({ key: "score", type: "number", fallbackValue }))
      expect(issues).toEqual([["fallbackValue", "invalid_type"]])
    })
  })
}

export const optionCases = ({ open }: HandleUnderTest): void => {
  describe("the options of a call", () => {
    it.each([
      ["an AbortController as the signal", { signal: new AbortController() }, ["signal", "invalid_type"]],
      ["null as the signal", { signal: null }, ["signal", "invalid_type"]],
      ["an unknown option", { idempotencyKey: "welcome:ada" }, ["idempotencyKey", "unknown_field"]],
      ["a signal instead of options", new AbortController().signal, ["", "invalid_type"]],
      ["null", null, ["", "invalid_type"]],
      ["a number", 0, ["", "invalid_type"]]
    ])("refuses %s, and sends nothing", async (_, value, issue) => {
      const { mail } = await open()
      const options = value as never
      for (const call of [
        () => mail.send(welcome, options),
        () => mail.deliveries.list({}, options),
        () => all(mail.contacts.each({}, options)),
        () => all(mail.lists.each(options))
      ])
        expect(await issuesOf(call())).toEqual({ argument: "options", issues: [issue] })
      expect((await mail.deliveries.list()).items).toEqual([])
    })

    it("takes a signal that is undefined", async () => {
      const { mail } = await open()
      expect((await mail.send(welcome, { signal: undefined })).totalQueued).toBe(1)
    })
  })
}
