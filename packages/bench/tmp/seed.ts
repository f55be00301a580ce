import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect } from "effect"
import { noContactFilters, inCommitOrder } from "@mailkeep/core/domain"
const file = process.argv[2]!
const N = Number(process.argv[3])
const first = [
  "Ada",
  "Grace",
  "Alan",
  "Edsger",
  "Barbara",
  "Donald",
  "Tony",
  "Leslie",
  "Ken",
  "Dennis",
  "Radia",
  "Frances",
  "Jean",
  "Margaret",
  "Niklaus",
  "John"
]
const syll = [
  "ka",
  "lo",
  "mi",
  "ra",
  "ten",
  "bor",
  "sel",
  "van",
  "dor",
  "fin",
  "gra",
  "hul",
  "ist",
  "jon",
  "kel",
  "lam",
  "mor",
  "nor",
  "os",
  "pet"
]
const rnd = (n: number) => Math.floor(Math.random() * n)
const lastName = () => Array.from({ length: 3 }, () => syll[rnd(20)]).join("")
await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* SqliteMailStore.make({ filename: file })
      const t0 = Date.now()
      let n = 0
      const one = Effect.suspend(() => {
        const i = n++
        const f = first[rnd(16)]!,
          l = lastName()
        const rare = i % 100 === 7 ? "zyx" : ""
        const contact = {
          id: `con_${String(i).padStart(26, "0")}`,
          projectId: "prj_a",
          email: `${f}.${l}${rare}${i}@example.org`.toLowerCase(),
          address: `${f}.${l}${rare}${i}@example.org`.toLowerCase(),
          userId: null,
          firstName: f,
          lastName: l,
          phoneNumber: null,
          emailStatus: i % 10 === 0 ? "unsubscribed" : "subscribed",
          source: "import",
          properties: {},
          listIds: [],
          createdAt: 1_700_000_000_000 + i,
          updatedAt: 1,
          revision: 1
        } as const
        return store.commit(
          inCommitOrder([
            { _tag: "PutContact", contact: contact as never, replaces: null },
            { _tag: "SpendCounter", projectId: "prj_a", name: "contacts", by: 1, max: null }
          ])
        )
      })
      const loop: Effect.Effect<void, any> = Effect.suspend(() =>
        n >= N ? Effect.void : Effect.flatMap(one, () => loop)
      )
      yield* Effect.all(
        Array.from({ length: 256 }, () => loop),
        { concurrency: "unbounded" }
      )
      console.log("seeded", N, (Date.now() - t0) / 1000, "s", Math.round(N / ((Date.now() - t0) / 1000)), "/s")
      const time = Effect.fnUntraced(function* (name: string, query: any) {
        const ts: number[] = []
        let r: any
        for (let k = 0; k < 15; k++) {
          const t = performance.now()
          r = yield* store.read([query])
          ts.push(performance.now() - t)
        }
        ts.sort((a, b) => a - b)
        console.log(name, "median", ts[7]!.toFixed(2), "ms", Array.isArray(r[0]) ? r[0].length : r[0])
      })
      const P = { projectId: "prj_a", after: null, skip: 0, limit: 100 }
      const f = noContactFilters
      yield* time("page1", { _tag: "ContactPage", ...P, filters: f })
      yield* time("page100", { _tag: "ContactPage", ...P, skip: 9900, filters: f })
      yield* time("status page100", {
        _tag: "ContactPage",
        ...P,
        skip: 9900,
        filters: { ...f, emailStatus: "unsubscribed" }
      })
      for (const s of ["zyx", "zyx1", "lamlamlam", "kabor", "ada kalo"]) {
        yield* time(`search ${s}`, { _tag: "ContactPage", ...P, limit: 50, filters: { ...f, search: s } })
        yield* time(`count ${s}`, { _tag: "ContactCount", ...P, filters: { ...f, search: s } })
      }
    })
  )
)
