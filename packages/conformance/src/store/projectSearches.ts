/**
 * Laws of searches for contacts: each search finds only contacts of its project, newest first, whatever the order in which they were created.
 */
import type { ContactRecord, MailStoreShape } from "@mailkeep/core/adapter"
import { newestFirst, noContactFilters } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { commit, put, remove } from "./changes.ts"
import { ask } from "./queries.ts"
import { idsOf, noon, otherId, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0066-contact-search.md")

/** The matches of a search from `skip`, and the number of all matches. */
const search = (store: MailStoreShape, project: string, text: string, skip = 0, limit = 100) =>
  Effect.map(
    ask(store, {
      _tag: "ContactScan",
      projectId: project as ContactRecord["projectId"],
      filters: { ...noContactFilters, search: text },
      after: null,
      skip,
      limit,
      scanLimit: 1000
    }),
    ({ items, matches }) => ({ ids: idsOf(items), matches })
  )

const checkSearches = (store: MailStoreShape, contacts: ReadonlyArray<ContactRecord>) =>
  Effect.gen(function* () {
    for (const project of [projectId, otherId, "prj_none"])
      for (const [text, isMatch] of [
        ["lovelace", () => true],
        ["ada love", () => true],
        ["c1", ({ email }: ContactRecord) => email.startsWith("c1")],
        ["c1@", ({ email }: ContactRecord) => email.startsWith("c1@")],
        ["nobody", () => false]
      ] as const) {
        const all = contacts.filter((one) => one.projectId === project && isMatch(one)).toSorted(newestFirst)
        for (const [skip, limit] of [
          [0, 100],
          [0, 1],
          [2, 3],
          [50, 2]
        ] as const)
          yield* same(
            `the matches of ${text} in ${project} from ${skip}`,
            yield* search(store, project, text, skip, limit),
            { ids: idsOf(all.slice(skip, skip + limit)), matches: all.length }
          )
      }
  })

const inTurn: ReadonlyArray<ContactRecord> = Array.from({ length: 12 }, (_, n) =>
  sample.numberedContact(n, { projectId: n % 2 === 0 ? projectId : otherId, createdAt: noon + n })
)

const byProject = law(
  "contacts/searched-by-project",
  "A search finds and counts the contacts of its project only, also after a contact was removed and created again in another project.",
  function* (store) {
    for (const one of inTurn) yield* commit(store, put.contact(one))
    yield* checkSearches(store, inTurn)
    let current = inTurn
    for (const n of [0, 1, 10, 11, 4]) {
      const existing = current[n]!
      const moved = {
        ...existing,
        projectId: existing.projectId === projectId ? otherId : projectId
      }
      yield* commit(store, remove.contact(existing.id, existing.revision, existing.projectId))
      yield* commit(store, put.contact(moved))
      current = current.map((one) => (one === existing ? moved : one))
      yield* checkSearches(store, current)
    }
    for (const n of [11, 0]) {
      const { id, revision, projectId } = current[n]!
      yield* commit(store, remove.contact(id, revision, projectId))
    }
    current = current.slice(1, -1)
    const created = sample.numberedContact(20, { createdAt: noon + 20 })
    yield* commit(store, put.contact(created))
    yield* checkSearches(store, [...current, created])
  }
)

/** The times and the numbers in the ids of contacts, in the order in which they are created. */
const orders: Readonly<Record<string, (n: number) => readonly [time: number, idNumber: number]>> = {
  increasing: (n) => [n, n],
  decreasing: (n) => [-n, n],
  mixed: (n) => [(n * 7) % 40, n],
  equal: (n) => [Math.floor(n / 9), n],
  "equal, with decreasing ids": (n) => [Math.floor(n / 9), 40 - n],
  "one far ahead": (n) => [n === 3 ? 1e9 : n, n],
  "one late": (n) => [n === 30 ? -5 : n, n],
  "late at the end": (n) => [n < 38 ? n : n - 30, n]
}

const newestFirstInAnyOrder = law(
  "contacts/newest-matches-first",
  "A search lists the newest matches first, in whatever order of their times the contacts were created, and after their times have changed.",
  function* (store) {
    for (const [name, orderOf] of Object.entries(orders)) {
      const contacts = Array.from({ length: 40 }, (_, n) => {
        const [time, idNumber] = orderOf(n)
        return sample.numberedContact(idNumber, { createdAt: noon + time, firstName: n % 3 === 0 ? "Bob" : "Ada" })
      })
      // Several commits, because a commit has its contacts in the order of their ids.
      for (let at = 0; at < contacts.length; at += 4)
        yield* commit(store, ...contacts.slice(at, at + 4).map((one) => put.contact(one)))
      const check = (label: string, present: ReadonlyArray<ContactRecord>) =>
        Effect.forEach(["bob love", "lovelace"], (text) =>
          Effect.gen(function* () {
            const all = present
              .filter(({ firstName }) => text === "lovelace" || firstName === "Bob")
              .toSorted(newestFirst)
            for (const [skip, limit] of [
              [0, 1],
              [0, 2],
              [3, 5],
              [10, 100]
            ] as const)
              yield* same(
                `the matches of ${text} from ${skip}, ${label}`,
                yield* search(store, projectId, text, skip, limit),
                { ids: idsOf(all.slice(skip, skip + limit)), matches: all.length }
              )
          })
        )
      yield* check(`created with times ${name}`, contacts)
      const last = { ...contacts[39]!, createdAt: noon - 99, revision: 2 }
      const first = { ...contacts[0]!, createdAt: noon + 99, revision: 2 }
      yield* commit(store, put.contact(last, 1), put.contact(first, 1))
      const changed = [first, ...contacts.slice(1, -1), last]
      yield* check(`created with times ${name}, then changed`, changed)
      yield* commit(store, ...changed.map(({ id, revision }) => remove.contact(id, revision)))
    }
  }
)

export const projectSearchLaws: ReadonlyArray<StoreLaw> = [byProject, newestFirstInAnyOrder]
