/**
 * Lists contacts in a project of 1,000,000 contacts in SQLite. Measures the call of the contacts endpoint: page and total together.
 * `CONTACTS` sets another number. `FILE` keeps the store file and reuses it in the next run.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ContactFilterInput } from "@mailkeep/core"
import { Contacts, MailCore, MailStore, PlanSource } from "@mailkeep/core"
import { inCommitOrder } from "@mailkeep/core/adapter"
import type { ContactRecord } from "@mailkeep/core/adapter"

import * as NodeCrypto from "@mailkeep/core/node"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect, Layer } from "effect"
import { machine, median } from "./machine.ts"

const total = Number(process.env["CONTACTS"] ?? 1_000_000)
const readings = 15
const project = "prj_bench"

const firstNames = ["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Tony", "Leslie", "Ken", "Radia", "Jean"]
const syllables = ["ka", "lo", "mi", "ra", "ten", "bor", "sel", "van", "dor", "fin", "gra", "hul", "ist", "jon", "kel"]

/**
 * One contact in a hundred has `zyx` in the address, one in ten is unsubscribed. The last name has three syllables, which depend on the
 * number.
 */
const contactAt = (n: number): ContactRecord => {
  const firstName = firstNames[n % firstNames.length]!
  const lastName = [n, Math.floor(n / 15), Math.floor(n / 225)].map((index) => syllables[index % 15]).join("")
  const email = `${firstName}.${lastName}${n % 100 === 7 ? "zyx" : ""}${n}@example.org`.toLowerCase()
  return {
    id: `con_${String(n).padStart(26, "0")}`,
    projectId: project,
    email,
    address: email,
    userId: null,
    firstName,
    lastName,
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

const seed = Effect.gen(function* () {
  const store = yield* MailStore
  const count = (name: "contacts" | "unsubscribed") =>
    ({ _tag: "AddToCounter", projectId: project, name, by: 1, max: null }) as const
  yield* Effect.forEach(
    Array.from({ length: total }, (_, n) => n),
    (n) => {
      const contact = contactAt(n)
      const counters =
        contact.emailStatus === "unsubscribed" ? [count("contacts"), count("unsubscribed")] : [count("contacts")]
      return store.commit(inCommitOrder([{ _tag: "PutContact", contact, replaces: null }, ...counters]))
    },
    { concurrency: 200, discard: true }
  )
})

const queries: ReadonlyArray<readonly [string, ContactFilterInput, page: number]> = [
  ["page 1", {}, 1],
  ["page 100", {}, 100],
  ["unsubscribed, page 1", { emailStatus: "unsubscribed" }, 1],
  ["unsubscribed, page 100", { emailStatus: "unsubscribed" }, 100],
  ["search zyx", { search: "zyx" }, 1],
  ["search zyx, page 100", { search: "zyx" }, 100],
  ["search kalomi", { search: "kalomi" }, 1],
  ["search ada kalo", { search: "ada kalo" }, 1]
]

const measure = Effect.gen(function* () {
  const contacts = yield* Contacts
  console.log(machine())
  for (const [label, filters, page] of queries) {
    const millis: Array<number> = []
    let found = 0
    for (let n = 0; n < readings; n++) {
      const begun = performance.now()
      found = (yield* contacts.list(project, { ...filters, page, limit: 100 })).total
      millis.push(performance.now() - begun)
    }
    console.log(`${label.padEnd(24)} of ${String(found).padStart(9)}  ${median(millis).toFixed(2).padStart(8)} ms`)
  }
})

const folder = mkdtempSync(join(tmpdir(), "mailkeep-bench-"))
const filename = process.env["FILE"] ?? join(folder, "mail.db")
const fresh = !existsSync(filename)
const core = MailCore.layerWith().pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      SqliteMailStore.layer({ filename }),
      StubTransport.layer({ keep: 0 }),
      PlanSource.layerFixed({}),
      NodeCrypto.layer
    )
  )
)
await Effect.runPromise((fresh ? Effect.andThen(seed, measure) : measure).pipe(Effect.provide(core)))
rmSync(folder, { recursive: true })
