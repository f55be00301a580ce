/**
 * Rows: pages and searches of contacts, and the import of a file.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import type { ContactFilterInput } from "@mailkeep/core"
import { ContactFiles, Contacts, MailStore } from "@mailkeep/core"
import type { ContactRecord } from "@mailkeep/core/adapter"
import { inCommitOrder } from "@mailkeep/core/adapter"
import { Effect, Stream } from "effect"
import { median } from "../machine.ts"
import { openByHand } from "../peers/byHand.ts"
import type { Row, Size } from "../Row.ts"
import { bySize, coreOver, numbers, prepareProject, project, secondsSince } from "../workload.ts"

const firstNames = ["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Tony", "Leslie", "Ken", "Radia", "Jean"]
const syllables = ["ka", "lo", "mi", "ra", "ten", "bor", "sel", "van", "dor", "fin", "gra", "hul", "ist", "jon", "kel"]
const readings = 15
const smallCount = 10_000
const largeCount = (size: Size) => bySize(size, 100_000, 1_000_000)

/** The last name has three syllables, which depend on the number. A hundred contacts of a store of any size have `zyx` in the address. */
const personAt = (n: number, count: number) => {
  const firstName = firstNames[n % firstNames.length]!
  const lastName = [n, Math.floor(n / 15), Math.floor(n / 225)].map((index) => syllables[index % 15]).join("")
  const mark = n % (count / 100) === 7 ? "zyx" : ""
  return { firstName, lastName, email: `${firstName}.${lastName}${mark}${n}@example.org`.toLowerCase() }
}

/** One in ten is unsubscribed. */
const contactAt = (n: number, count: number): ContactRecord => {
  const person = personAt(n, count)
  return {
    ...person,
    id: `con_${String(n).padStart(26, "0")}`,
    projectId: project,
    address: person.email,
    userId: null,
    phoneNumber: null,
    emailStatus: n % 10 === 0 ? "unsubscribed" : "subscribed",
    source: "import",
    properties: {},
    listIds: [],
    createdAt: 1_700_000_000_000 + n,
    updatedAt: 1_700_000_000_000 + n,
    revision: 1
  }
}

const fill = (filename: string, total: number): Promise<void> =>
  existsSync(filename)
    ? Promise.resolve()
    : Effect.gen(function* () {
        const store = yield* MailStore
        const count = (name: "contacts" | "unsubscribed") =>
          ({ _tag: "AddToCounter", projectId: project, name, by: 1, max: null }) as const
        yield* Effect.forEach(
          numbers(total),
          (n) => {
            const contact = contactAt(n, total)
            const counters =
              contact.emailStatus === "unsubscribed" ? [count("contacts"), count("unsubscribed")] : [count("contacts")]
            return store.commit(inCommitOrder([{ _tag: "PutContact", contact, replaces: null }, ...counters]))
          },
          { concurrency: 200, discard: true }
        )
      }).pipe(Effect.provide(coreOver(filename)), Effect.runPromise)

const queries: Readonly<Record<string, ContactFilterInput & { readonly page?: number }>> = {
  "page 1": {},
  "page 90": { page: 90 },
  unsubscribed: { emailStatus: "unsubscribed" },
  "search zyx": { search: "zyx" },
  "search by name": { search: "ada kaka" }
}

const measure = (filename: string) =>
  Effect.gen(function* () {
    const contacts = yield* Contacts
    // The first search starts the scan thread.
    yield* contacts.list(project, { search: "zyx", limit: 1 })
    const figures: Record<string, number> = {}
    for (const [name, query] of Object.entries(queries)) {
      const millis: Array<number> = []
      for (let n = 0; n < readings; n++) {
        const started = performance.now()
        yield* contacts.list(project, { ...query, limit: 100 })
        millis.push(performance.now() - started)
      }
      figures[name] = median(millis)
    }
    return figures
  }).pipe(Effect.provide(coreOver(filename)), Effect.runPromise)

const fileOf = (rowFolder: string, which: "large" | "small") => join(rowFolder, `${which}.db`)

export const contacts: Row = {
  name: "contacts",
  title: "Contacts of a large project in comparison with a small one",
  about:
    "`Contacts.list` returns a page of 100 contacts and the exact total, in a project with 100,000 contacts (small run) or a million (full run). The peer is the same with 10,000 contacts. `zyx` is in the address of 100 contacts of either store; the search by name matches more contacts in the larger store. A value is the median of 15.",
  metrics: Object.keys(queries).map((name) => ({
    name,
    unit: "ms",
    better: "lower" as const
  })) as unknown as Row["metrics"],
  ours: { name: "mailkeep", run: ({ rowFolder }) => measure(fileOf(rowFolder, "large")) },
  peers: [{ name: "10,000 contacts", run: ({ rowFolder }) => measure(fileOf(rowFolder, "small")) }],
  goals: Object.keys(queries).map((metric) => ({ metric, is: "at most", value: 30 }) as const),
  disks: ["as-is"],
  prepare: async ({ rowFolder, size }) => {
    await fill(fileOf(rowFolder, "small"), smallCount)
    await fill(fileOf(rowFolder, "large"), largeCount(size))
  }
}

const importCount = (size: Size) => bySize(size, 20_000, 100_000)
const handGroup = 100

export const importContacts: Row = {
  name: "import",
  title: "Import of contacts",
  about:
    "`ContactFiles.importRows` imports 20,000 rows (small run) or 100,000 (full run) of three columns into an empty project. It checks each row, answers for each row, and keeps a search index. The peer is written by hand with better-sqlite3: it looks up each address, inserts the contact and counts it, in transactions of 100, without a search index. Both sync each transaction.",
  metrics: [{ name: "per second", unit: "rows/s", better: "higher" }],
  ours: {
    name: "mailkeep",
    run: ({ folder, size }) =>
      Effect.gen(function* () {
        yield* prepareProject
        const count = importCount(size)
        const rows = Stream.concat(
          Stream.make({ line: 1, cells: ["email", "first_name", "last_name"] }),
          Stream.map(Stream.range(0, count - 1), (n) => {
            const { email, firstName, lastName } = personAt(n, count)
            return { line: n + 2, cells: [email, firstName, lastName] }
          })
        )
        const started = performance.now()
        yield* Stream.runDrain((yield* ContactFiles).importRows(project, rows))
        return { "per second": count / secondsSince(started) }
      }).pipe(Effect.provide(coreOver(join(folder, "mail.db"))), Effect.runPromise)
  },
  peers: [
    {
      name: "by hand",
      run: async ({ folder, size }) => {
        const count = importCount(size)
        const store = openByHand(join(folder, "hand.db"))
        const started = performance.now()
        for (let from = 0; from < count; from += handGroup)
          store.importGroup(
            numbers(handGroup).map((n) => {
              const { email, firstName, lastName } = personAt(from + n, count)
              return [email, firstName, lastName] as const
            })
          )
        const seconds = secondsSince(started)
        store.close()
        return { "per second": count / seconds }
      }
    }
  ],
  goals: [{ metric: "per second", is: "at least", value: 12_500 }]
}
