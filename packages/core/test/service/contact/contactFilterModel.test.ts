import { project, stores, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { EmailStatus, SegmentFilter } from "../../../src/index.ts"
import { ContactLists, Contacts, Properties, Segments } from "../../../src/index.ts"
import type { ModelContact, ModelFilter, Question } from "./contactFilterModel.ts"
import { matches, modelProperties, newContact, question } from "./contactFilterModel.ts"

type NewContact = typeof newContact extends fc.Arbitrary<infer A> ? A : never
type ListIds = Readonly<Record<string, string>>

const withListIds = (node: ModelFilter, ids: ListIds): SegmentFilter => {
  if ("all" in node) return { all: node.all.map((one) => withListIds(one, ids)) }
  if ("any" in node) return { any: node.any.map((one) => withListIds(one, ids)) }
  if ("not" in node) return { not: withListIds(node.not, ids) }
  return ("list" in node ? { list: ids[node.list]! } : node) as SegmentFilter
}

const createContact = (
  email: string,
  { texts, properties, isUnsubscribed, lists, waitMillis }: NewContact,
  ids: ListIds
) =>
  Effect.gen(function* () {
    yield* TestClock.adjust(waitMillis)
    const contacts = yield* Contacts
    const { id, createdAt } = yield* contacts.create(project, { email, ...texts, properties })
    if (isUnsubscribed) yield* contacts.update(project, id, { email, emailStatus: "unsubscribed" })
    for (const list of lists) yield* (yield* ContactLists).addContact(project, ids[list]!, id)
    const made: ModelContact = {
      id,
      lists,
      texts: {
        email,
        first_name: texts.firstName,
        last_name: texts.lastName,
        phone_number: texts.phoneNumber,
        user_id: texts.userId ?? null,
        email_status: isUnsubscribed ? "unsubscribed" : "subscribed",
        source: "manual"
      },
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key.toLowerCase(), value])),
      times: { created_at: createdAt, updated_at: createdAt }
    }
    return made
  })

const answerTo = (name: string, { filter, list, emailStatus, ...listing }: Question, ids: ListIds) =>
  Effect.gen(function* () {
    const segment =
      filter === null ? null : yield* (yield* Segments).create(project, { name, filter: withListIds(filter, ids) })
    const { items, total } = yield* (yield* Contacts).list(project, {
      ...listing,
      emailStatus: emailStatus as EmailStatus | null,
      segmentId: segment?.id,
      listId: list === null ? null : ids[list]!
    })
    return { total, items: items.map(({ id }) => id) }
  })

describe.each(stores)("Contacts.list, over $name", (store) => {
  it("selects and counts the contacts that a simple model of the filters selects", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(newContact, { maxLength: 8 }),
        fc.array(question, { minLength: 1, maxLength: 60 }),
        (people, questions) =>
          withTestMail(store)(
            Effect.gen(function* () {
              for (const property of modelProperties) yield* (yield* Properties).create(project, property)
              const lists = yield* ContactLists
              const ids: Record<string, string> = { unknown: "lst_unknown" }
              for (const name of ["first", "second", "deleted"]) ids[name] = (yield* lists.create(project, { name })).id
              const model: Array<ModelContact> = []
              for (const [n, one] of people.entries()) model.unshift(yield* createContact(`P${n}@x.example`, one, ids))
              yield* lists.delete(project, ids["deleted"]!)
              for (const [n, asked] of questions.entries()) {
                const expected = model.filter((one) => matches(one, asked)).map(({ id }) => id)
                const items = expected.slice((asked.page - 1) * asked.limit, asked.page * asked.limit)
                expect([asked, yield* answerTo(`segment ${n}`, asked, ids)]).toEqual([
                  asked,
                  { total: expected.length, items }
                ])
              }
            })
          )
      ),
      { numRuns: Number(process.env["MODEL_RUNS"] ?? 25) }
    ))
})
