/**
 * Laws of the indexes of contacts: each update and each removal changes what every query finds, and pages begin and end exactly.
 */
import type { ContactRecord, ContactFilters, MailStoreShape } from "@mailkeep/core/adapter"
import { newestFirst } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultOf, same } from "../expectation.ts"
import { ask, commit, contact, contactPage, contactScan, idsOf, noon, numbered, projectId, put } from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0012-contacts.md"

const person = (n: number, change: Partial<ContactRecord> = {}): ContactRecord =>
  contact({ id: numbered("con", n), email: `c${n}@example.org`, address: `c${n}@example.org`, ...change })

const idOf = (n: number) => numbered("con", n)

const finds = (store: MailStoreShape, filters: Partial<ContactFilters>, expected: ReadonlyArray<number>) =>
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

const updated = storeLaw(
  "contacts/found-after-each-update",
  {
    statement:
      "After an update of any field of a contact, every query finds it by the new value and not by the old value.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      for (const n of [1, 2, 3]) yield* commit(store, put.contact(person(n)))
      let current = person(2)
      for (const [change, expected] of updates) {
        const revision = current.revision + 1
        const next = { ...current, ...change, revision }
        yield* commit(store, put.contact(next, current.revision))
        current = next
        for (const [filters, found] of expected) yield* finds(store, filters, found)
        yield* same("the contact", yield* ask(store, { _tag: "Contact", projectId, id: current.id }), current)
      }
    })
)

const removedWhole = storeLaw(
  "contacts/removed-leaves-no-trace",
  {
    statement:
      "After a contact is removed, no query finds its texts or lists, neither by itself nor in a contact that is created later.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const first = person(1, { email: "secret@old.example", firstName: "Hidden", lastName: "Name" })
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
      yield* commit(store, { _tag: "RemoveContact", id: first.id, revision: 2 })
      yield* nothing("after the removal")
      const reborn = person(1, { listIds: changed.listIds, createdAt: changed.createdAt })
      yield* same("a contact with the same id", yield* resultOf(commit(store, put.contact(reborn))), "applied")
      yield* nothing("after a contact with the same id")
      yield* commit(store, put.contact(person(2)))
      yield* nothing("after another contact")
      yield* finds(store, { listId: "lst_1" }, [2])
      yield* finds(store, { listId: "lst_2" }, [1, 2])
      yield* finds(store, { listId: "lst_3" }, [1])
      yield* finds(store, { search: "lovelace" }, [1, 2])
      const [before] = yield* ask(store, { _tag: "ContactsByAddress", projectId, addresses: [first.address] })
      yield* same("the contact at the address", before, reborn)
    })
)

const searchable: ReadonlyArray<ContactRecord> = [
  person(1, { firstName: "Zoë", lastName: "🎉🎊x" }),
  person(2, { firstName: 'say "hi"', lastName: "AND OR NOT" }),
  person(3, { firstName: "back\\slash*", lastName: "NEAR(a b)^" }),
  person(4, { firstName: "İstanbul", lastName: "Straße" }),
  person(5, { firstName: "", lastName: "q" }),
  person(6, { email: "UPPER.Case@Example.ORG", firstName: "%", lastName: "_" }),
  // Two letters that a wider fold takes for others: the sigma at the end of a word, and the long s.
  person(7, { email: "seven@seven.test", firstName: "ΟΔΟΣ", lastName: "Maſſe" })
]

/** Searches of one, two and more characters, each with the numbers of the contacts. */
const searches: ReadonlyArray<readonly [search: string, found: ReadonlyArray<number>]> = [
  ["", [7, 6, 5, 4, 3, 2, 1]],
  [" ", [7, 6, 5, 4, 3, 2, 1]],
  ["Z", [1]],
  ["zo", [1]],
  ["ZOË", [1]],
  ["🎉", [1]],
  ["🎉🎊", [1]],
  ["🎊x", [1]],
  ["🎉🎊X", [1]],
  ["ë 🎉", [1]],
  ['"', [2]],
  ['"h', [2]],
  ['"HI"', [2]],
  ["and or", [2]],
  ["NOT", [2]],
  ["k\\", [3]],
  ["k\\S", [3]],
  ["sh*", [3]],
  ["*", [3]],
  ["near(", [3]],
  ["^", [3]],
  ["İ", [4]],
  ["İST", [4]],
  ["istanbul", []],
  ["STRASSE", []],
  ["raß", [4]],
  [" Q", [5]],
  ["% _", [6]],
  ["%", [6]],
  ["_", [6]],
  ["upper.case@example", [6]],
  ["c1@example.org zoë", []],
  ["orgzoë", []],
  ["example", [6, 5, 4, 3, 2, 1]],
  ["ΟΔΟΣ", [7]],
  ["οδος", [7]],
  ["δοσ", []],
  ["maſſe", [7]],
  ["masse", []],
  ["none of them", []]
]

const anyLength = storeLaw(
  "contacts/search-of-any-length",
  {
    statement:
      "A search of one, two or more characters finds a literal part in any case, whatever signs and characters it contains.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, ...searchable.map((one) => put.contact(one)))
      for (const [search, found] of searches) yield* finds(store, { search }, found)
    })
)

/** Twenty contacts with equal texts, in pairs of one instant, whose order by id is another. */
const crowd: ReadonlyArray<ContactRecord> = Array.from({ length: 20 }, (_, n) =>
  person(n, {
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

const bounded = storeLaw(
  "contacts/pages-begin-and-end-exactly",
  {
    statement:
      "A page of contacts with any filters, after any position, omits and lists exactly the given numbers, and counts all matches.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, ...crowd.map((one) => put.contact(one)))
      for (const [filters, matches] of meanings) {
        const all = crowd.filter(matches).toSorted(newestFirst)
        // The positions before the first contact, at a contact, between contacts, and after the last contact.
        const positions = [
          null,
          { createdAt: noon + 99, id: "con" },
          crowd[13]!,
          crowd[6]!,
          { createdAt: noon, id: "" }
        ]
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
    })
)

export const contactIndexLaws: ReadonlyArray<StoreLaw> = [updated, removedWhole, anyLength, bounded]
