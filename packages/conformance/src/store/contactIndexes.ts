/**
 * Laws of the indexes of contacts: each update and each removal changes what every query finds, and pages begin and end exactly.
 */
import type { ContactFilters, ContactRecord, MailStoreShape } from "@mailkeep/core/adapter"
import { newestFirst } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { commit, commitResult, put, remove } from "./changes.ts"
import { ask, contactPage, contactScan } from "./queries.ts"
import { idsOf, noon, numbered, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"

const law = storeLawsFor("decisions/0012-contacts.md")

const idOf = (n: number) => numbered("con", n)

export const finds = (store: MailStoreShape, filters: Partial<ContactFilters>, expected: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const { items, total } = yield* contactPage(store, filters)
    const label = JSON.stringify(filters)
    yield* same(`the contacts that match ${label}`, idsOf(items), expected.map(idOf))
    yield* same(`the number of contacts that match ${label}`, total, expected.length)
  })

type Step = readonly [
  change: Partial<ContactRecord>,
  finds: ReadonlyArray<readonly [Partial<ContactFilters>, ReadonlyArray<number>]>
]

/** Updates of the second of three contacts, each with what queries find afterwards. */
const updates: ReadonlyArray<Step> = [
  [
    { email: "Moved@y.example" },
    [
      [{ search: "c2@" }, []],
      [{ search: "moved@y" }, [2]],
      [{ search: "love" }, [3, 2, 1]]
    ]
  ],
  [
    { firstName: "Grace" },
    [
      [{ search: "grace" }, [2]],
      [{ search: "ada" }, [3, 1]],
      [{ search: "moved@y" }, [2]]
    ]
  ],
  [
    { lastName: "Hopper" },
    [
      [{ search: "lovelace" }, [3, 1]],
      [{ search: "e hop" }, [2]]
    ]
  ],
  [
    { listIds: ["lst_1", "lst_2", "lst_9"] },
    [
      [{ listId: "lst_1" }, [3, 2, 1]],
      [{ listId: "lst_9" }, [2]]
    ]
  ],
  [
    { listIds: ["lst_1"] },
    [
      [{ listId: "lst_2" }, [3, 1]],
      [{ listId: "lst_9" }, []]
    ]
  ],
  [
    { listIds: ["lst_2", "lst_3"] },
    [
      [{ listId: "lst_1" }, [3, 1]],
      [{ listId: "lst_2" }, [3, 2, 1]],
      [{ listId: "lst_3" }, [2]]
    ]
  ],
  [
    { listIds: ["lst_3", "lst_2"] },
    [
      [{ listId: "lst_2" }, [3, 2, 1]],
      [{ listId: "lst_3" }, [2]]
    ]
  ],
  [
    { createdAt: noon + 9 },
    [
      [{}, [2, 3, 1]],
      [{ listId: "lst_2" }, [2, 3, 1]],
      [{ emailStatus: "subscribed" }, [2, 3, 1]],
      [{ search: "example" }, [2, 3, 1]]
    ]
  ],
  [
    { emailStatus: "unsubscribed" },
    [
      [{ emailStatus: "subscribed" }, [3, 1]],
      [{ emailStatus: "unsubscribed" }, [2]],
      [{ emailStatus: "unsubscribed", listId: "lst_2" }, [2]],
      [{ emailStatus: "subscribed", search: "hopper" }, []]
    ]
  ],
  [
    { listIds: [] },
    [
      [{ listId: "lst_2" }, [3, 1]],
      [{ listId: "lst_3" }, []]
    ]
  ],
  [
    { createdAt: noon - 9, listIds: ["lst_1"] },
    [
      [{}, [3, 1, 2]],
      [{ listId: "lst_1" }, [3, 1, 2]]
    ]
  ]
]

const updated = law(
  "contacts/found-after-each-update",
  "After an update of any field of a contact, every query finds it by the new value and not by the old value.",
  function* (store) {
    for (const n of [1, 2, 3]) yield* commit(store, put.contact(sample.numberedContact(n)))
    let current = sample.numberedContact(2)
    for (const [change, expected] of updates) {
      const revision = current.revision + 1
      const next = { ...current, ...change, revision }
      yield* commit(store, put.contact(next, current.revision))
      current = next
      for (const [filters, found] of expected) yield* finds(store, filters, found)
      yield* same("the contact", yield* ask(store, { _tag: "Contact", projectId, id: current.id }), current)
    }
  }
)

const removedWhole = law(
  "contacts/removed-leaves-no-trace",
  "After a contact is removed, no query finds its texts or lists, neither by itself nor in a contact that is created later.",
  function* (store) {
    const first = sample.numberedContact(1, { email: "secret@old.example", firstName: "Hidden", lastName: "Name" })
    const changed = { ...first, lastName: "Other", listIds: ["lst_2", "lst_3"], createdAt: noon + 1, revision: 2 }
    const nothing = (after: string) =>
      Effect.forEach(["secret@", "hidden", "name", "other", "n o"], (search) =>
        Effect.gen(function* () {
          const { items, matches } = yield* contactScan(store, { search })
          yield* same(`the contacts that match ${search} ${after}`, [matches, ...idsOf(items)], [0])
        })
      )
    yield* commit(store, put.contact(first))
    yield* commit(store, put.contact(changed, 1))
    yield* commit(store, remove.contact(first.id, 2))
    yield* nothing("after the removal")
    const reborn = sample.numberedContact(1, { listIds: changed.listIds, createdAt: changed.createdAt })
    yield* same("a contact with the same id", yield* commitResult(store, put.contact(reborn)), "applied")
    yield* nothing("after a contact with the same id")
    yield* commit(store, put.contact(sample.numberedContact(2)))
    yield* nothing("after another contact")
    yield* finds(store, { listId: "lst_1" }, [2])
    yield* finds(store, { listId: "lst_2" }, [1, 2])
    yield* finds(store, { listId: "lst_3" }, [1])
    yield* finds(store, { search: "lovelace" }, [1, 2])
    const [before] = yield* ask(store, { _tag: "ContactsByAddress", projectId, addresses: [first.address] })
    yield* same("the contact at the address", before, reborn)
  }
)

/** Twenty contacts with equal texts, in pairs of one instant, whose order by id is another. */
const crowd: ReadonlyArray<ContactRecord> = Array.from({ length: 20 }, (_, n) =>
  sample.numberedContact(n, {
    createdAt: noon + Math.floor(((n * 7) % 20) / 2),
    emailStatus: n % 3 === 0 ? "unsubscribed" : "subscribed",
    listIds: n % 2 === 0 ? ["lst_a"] : n % 5 === 0 ? ["lst_b", "lst_a"] : [],
    firstName: n % 4 === 0 ? "Bob" : "Ada"
  })
)

const isBob = { _tag: "Compare", kind: "text", of: { field: "firstName" }, op: "eq", value: "BOB" } as const

const onListB = { _tag: "OnList", listId: "lst_b" } as const

/** Filters, each with the condition that it means. */
const meanings: ReadonlyArray<readonly [Partial<ContactFilters>, (contact: ContactRecord) => boolean]> = [
  [{}, () => true],
  [{ search: "lovelace" }, () => true],
  [{ search: "ob" }, ({ firstName }) => firstName === "Bob"],
  [{ search: "BOB L" }, ({ firstName }) => firstName === "Bob"],
  [{ emailStatus: "unsubscribed" }, ({ emailStatus }) => emailStatus === "unsubscribed"],
  [{ listId: "lst_a" }, ({ listIds }) => listIds.includes("lst_a")],
  [
    { listId: "lst_a", emailStatus: "subscribed" },
    ({ listIds, emailStatus }) => listIds.includes("lst_a") && emailStatus === "subscribed"
  ],
  [
    { search: "bob", listId: "lst_a", emailStatus: "subscribed" },
    ({ firstName, listIds, emailStatus }) =>
      firstName === "Bob" && listIds.includes("lst_a") && emailStatus === "subscribed"
  ],
  [{ search: "ada", listId: "lst_b" }, ({ firstName, listIds }) => firstName === "Ada" && listIds.includes("lst_b")],
  [{ search: "lovelace", segment: isBob }, ({ firstName }) => firstName === "Bob"],
  [{ search: "lo", segment: isBob }, ({ firstName }) => firstName === "Bob"],
  [
    { listId: "lst_a", segment: { _tag: "Any", of: [isBob, onListB] } },
    ({ firstName, listIds }) => listIds.includes("lst_a") && (firstName === "Bob" || listIds.includes("lst_b"))
  ]
]

const pieces: ReadonlyArray<readonly [skip: number, limit: number]> = [
  [0, 1],
  [1, 2],
  [3, 100],
  [20, 5],
  [20_000, 5]
]

const bounded = law(
  "contacts/pages-begin-and-end-exactly",
  "A page of contacts with any filters, after any position, omits and lists exactly the given numbers, and counts all matches.",
  function* (store) {
    yield* commit(store, ...crowd.map((one) => put.contact(one)))
    for (const [filters, matches] of meanings) {
      const all = crowd.filter(matches).toSorted(newestFirst)
      // The positions before the first contact, at a contact, between contacts, and after the last contact.
      const positions = [null, { createdAt: noon + 99, id: "con" }, crowd[13]!, crowd[6]!, { createdAt: noon, id: "" }]
      for (const after of positions) {
        const left = all.filter((one) => after === null || newestFirst(after, one) < 0)
        for (const [skip, limit] of pieces) {
          const position = after === null ? null : { createdAt: after.createdAt, id: after.id }
          const { items, total } = yield* contactPage(store, filters, { after: position, skip, limit })
          const label = `${JSON.stringify(filters)} after ${JSON.stringify(position)}, ${skip} omitted`
          yield* same(`the page of ${limit} of ${label}`, idsOf(items), idsOf(left.slice(skip, skip + limit)))
          yield* same(`the number of ${label}`, total, left.length)
        }
      }
      const whole = yield* contactScan(store, filters, { scanLimit: crowd.length })
      yield* same(`the end of a scan of all contacts with ${JSON.stringify(filters)}`, whole.next, null)
    }
  }
)

export const contactIndexLaws: ReadonlyArray<StoreLaw> = [updated, removedWhole, bounded]
