/**
 * Laws of fair claims: round-robin over the projects, and over the immediate and the bulk mail of each project.
 */
import type { Delivery, Lane, MailStoreShape, Rotation } from "@mailkeep/core/adapter"
import { claimKinds, wholeRotation } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { commit, endLease, insert } from "./changes.ts"
import { claim, insertAll, leaseMillis } from "./claims.ts"
import { idsOf, noon } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0043-fair-claims.md")

/**
 * Deliveries such as `a1` and `B20`: the letter is the project, a capital letter is bulk, and the delivery is due so many milliseconds before noon.
 */
const deliveries = (text: string, change: Partial<Delivery> = {}): ReadonlyArray<Delivery> =>
  text.split(" ").map((name) => {
    const letter = name.slice(0, 1)
    const dueAt = noon - Number(name.slice(1))
    const projectId = `prj_${letter.toLowerCase()}`
    const id = `del_${name}` as const
    return sample.delivery({ id, projectId, bulk: letter !== letter.toLowerCase(), dueAt, dueSetAt: dueAt, ...change })
  })

const lane = (letter: string): Lane => ({
  projectId: `prj_${letter.toLowerCase()}`,
  bulk: letter !== letter.toLowerCase()
})

/** The names of the deliveries that a claim takes, in its order. */
const take = (store: MailStoreShape, limit: number, rotation: Partial<Rotation> = {}, change = {}) =>
  Effect.map(claim(store, { limit, rotation: { ...wholeRotation, ...rotation }, ...change }), (rows) =>
    idsOf(rows)
      .map((id) => id.slice("del_".length))
      .join(" ")
  )

const overProjects = law(
  "claim/round-robin-over-projects",
  "A claim takes one delivery of each project in each round, in the order of the project ids, and of each project the one due longest.",
  function* (store) {
    yield* insertAll(store, deliveries("b9 a1 a3 a2 a8 a7 c5"))
    yield* same("less than the first round", yield* take(store, 2), "a8 b9")
    yield* same("the rest of the deliveries", yield* take(store, 9), "a7 c5 a3 a2 a1")
  }
)

const manyProjects = law(
  "claim/round-robin-of-many-projects",
  "A claim with fewer places than projects takes one delivery of each of the first projects, however many each has.",
  function* (store) {
    const letters = [..."abcdefghij"]
    yield* insertAll(
      store,
      deliveries(letters.flatMap((letter) => [`${letter}1`, `${letter}2`, `${letter}3`]).join(" "))
    )
    yield* same("the first projects", yield* take(store, 4), "a3 b3 c3 d3")
    yield* same("the next projects", yield* take(store, 4, { after: lane("d") }), "e3 f3 g3 h3")
    yield* same("the last and the first", yield* take(store, 4, { after: lane("h") }), "i3 j3 a2 b2")
  }
)

const overLanes = law(
  "claim/round-robin-over-lanes",
  "Each round takes one delivery of the immediate mail of a project, and then one of its bulk mail.",
  function* (store) {
    yield* insertAll(store, deliveries("A9 A8 A7 A6 a2 a1 b5 C4"))
    yield* same("one round", yield* take(store, 4), "a2 A9 b5 C4")
    yield* same("the rest", yield* take(store, 9), "a1 A8 A7 A6")
  }
)

const continuesAfter = law(
  "claim/continues-after-the-last-lane",
  "The first round begins with the lane after the given one, and continues with the first lane after the last.",
  function* (store) {
    const all = "a9 A8 b7 c6 C5"
    const claimAfter = (letter: string, n: number) =>
      Effect.andThen(
        insertAll(
          store,
          deliveries(all).map((one) => ({ ...one, id: `${one.id}${n}` as const }))
        ),
        take(store, 9, { after: lane(letter) }, { worker: `w${n}` })
      )
    for (const [n, [letter, expected]] of (
      [
        ["a", "A8 b7 c6 C5 a9"],
        ["A", "b7 c6 C5 a9 A8"],
        ["B", "c6 C5 a9 A8 b7"],
        ["C", "a9 A8 b7 c6 C5"],
        ["z", "a9 A8 b7 c6 C5"]
      ] as const
    ).entries())
      yield* same(
        `a claim after ${letter}`,
        yield* claimAfter(letter, n),
        expected
          .split(" ")
          .map((name) => `${name}${n}`)
          .join(" ")
      )
  }
)

const limitOfProject = law(
  "claim/limit-of-each-project",
  "A claim takes as many deliveries of a project as its limit leaves, with those under way counted in both of its lanes.",
  function* (store) {
    yield* insertAll(store, deliveries("a9 a8 a7 A6 A5 b4 b3 c2 c1"))
    yield* same("a limit of 0", yield* take(store, 9, { perProject: 0 }), "")
    const underWay = [
      { projectId: "prj_a", count: 1 },
      { projectId: "prj_b", count: 2 },
      { projectId: "prj_none", count: 9 }
    ]
    yield* same("a limit of 2", yield* take(store, 3, { perProject: 2, underWay }), "a9 c2 c1")
    yield* same("a limit of 3 for the rest", yield* take(store, 3, { perProject: 3, underWay }), "a8 A6 b4")
    yield* same("no limit", yield* take(store, 9), "a7 A5 b3")
  }
)

const shortLanes = law(
  "claim/rest-of-one-lane",
  "When the other lanes have no more deliveries, a claim takes the rest from one lane, also when that lane has been due longest.",
  function* (store) {
    yield* insertAll(store, deliveries("a9 a8 a7 a6 a5 a4 a3 b2 C1"))
    yield* same("a claim of 6", yield* take(store, 6), "a9 b2 C1 a8 a7 a6")
    yield* same("a claim of the rest", yield* take(store, 9), "a5 a4 a3")
    yield* insertAll(store, deliveries("e9 e8 e7 e6 E1"))
    yield* same("one lane has been due longest", yield* take(store, 3), "e9 E1 e8")
    yield* same("the rest of that lane", yield* take(store, 9), "e7 e6")
    yield* insertAll(store, deliveries("f9 f8 f7 g9 g8 g7 h1"))
    yield* same("two lanes have been due longest", yield* take(store, 4), "f9 g9 h1 f8")
  }
)

const skipsClaimed = law(
  "claim/skips-what-cannot-be-claimed",
  "A round passes over deliveries that are not due, have another status or belong to a worker with a live lease.",
  function* (store) {
    yield* insertAll(store, deliveries("a9 b8 c7 a6 b5"))
    yield* same("the deliveries of the first worker", yield* take(store, 3), "a9 b8 c7")
    yield* insertAll(store, deliveries("a20 c20", { status: "sending" }))
    yield* commit(
      store,
      insert.delivery(sample.delivery({ id: "del_later", projectId: "prj_a", dueAt: noon + 1, dueSetAt: noon - 9 }))
    )
    const second = { worker: "w2", leaseUntil: noon + 2 * leaseMillis }
    yield* same("the first claim of another worker", yield* take(store, 1, {}, second), "a6")
    yield* same("the second claim", yield* take(store, 9, { after: lane("a") }, second), "b5")
    const third = { worker: "w3", now: noon + leaseMillis, leaseUntil: noon + 3 * leaseMillis }
    yield* same("after the first lease", yield* take(store, 9, { after: lane("b") }, third), "c7 a9 b8 later")
  }
)

const everyKind = law(
  "claim/round-robin-of-every-kind",
  "Each kind of claim takes its deliveries round-robin.",
  function* (store) {
    for (const [kind, status] of Object.entries(claimKinds)) {
      const rows = deliveries("a9 a8 b7 A6", { status })
      yield* insertAll(
        store,
        rows.map((one) => ({ ...one, id: `${one.id}_${kind}` as const }))
      )
      const taken = yield* take(store, 9, { after: lane("a") }, { kind, worker: `w_${kind}` })
      yield* same(`the order of ${kind}`, taken, ["A6", "b7", "a9", "a8"].map((name) => `${name}_${kind}`).join(" "))
    }
  }
)

const otherKinds = law(
  "claim/passes-over-other-kinds",
  "A claim takes the deliveries of its kind, however many of another kind have been due for longer.",
  function* (store) {
    const names = (letter: string, first: number, count: number) =>
      Array.from({ length: count }, (_, n) => `${letter}${first + n}`).join(" ")
    const ofBoth = (first: number, count: number) => `${names("a", first, count)} ${names("b", first, count)}`
    // A store can search again when it cannot take what it found. These are more than a few searches find, of either kind.
    yield* insertAll(store, [...deliveries(ofBoth(100, 150), { status: "scheduled" }), ...deliveries(ofBoth(1, 40))])
    yield* same("one of each project", yield* take(store, 2), "a40 b40")
    yield* same("the next ones", yield* take(store, 4), "a39 b39 a38 b38")
  }
)

const longLanes = law(
  "claim/round-robin-in-long-lanes",
  "When more is due than a claim takes, it begins after any lane, and takes from each lane in each round.",
  function* (store) {
    yield* insertAll(store, deliveries("a9 a8 a7 a6 A9 A8 A7 A6 b9 b8 b7 b6 C9 C8 C7 C6"))
    const rounds = (first: string, limit: number, rotation: Partial<Rotation> = {}) =>
      Effect.gen(function* () {
        const order = ["a", "A", "b", "C"]
        const from = order.indexOf(first)
        const lanes = [...order.slice(from), ...order.slice(0, from)]
        const expected = [9, 8, 7, 6].flatMap((due) => lanes.map((letter) => `${letter}${due}`)).slice(0, limit)
        yield* same(
          `a claim of ${limit} that begins with ${first}`,
          yield* take(store, limit, rotation),
          expected.join(" ")
        )
        yield* commit(store, endLease("w1"))
      })
    for (const limit of [1, 3, 4, 7, 15]) {
      yield* rounds("a", limit)
      for (const [after, first] of [
        ["a", "A"],
        ["A", "b"],
        ["b", "C"],
        ["B", "C"],
        ["C", "a"],
        ["d", "a"]
      ] as const)
        yield* rounds(first, limit, { after: lane(after) })
    }
  }
)

const passesOverFull = law(
  "claim/passes-over-full-projects",
  "A claim takes the deliveries of the projects below their limit, however many other projects have reached it.",
  function* (store) {
    const full = [..."abcdefgh"]
    yield* insertAll(store, deliveries([...full, "y", "z"].flatMap((letter) => [`${letter}9`, `${letter}8`]).join(" ")))
    const underWay = [
      ...full.map((letter) => ({ projectId: lane(letter).projectId, count: 2 })),
      { projectId: lane("y").projectId, count: 1 }
    ]
    yield* same("a claim of 1", yield* take(store, 1, { perProject: 2, underWay }), "y9")
    yield* same("a claim of 3", yield* take(store, 3, { perProject: 2, underWay }), "y8 z9 z8")
    yield* same("a claim by a higher limit", yield* take(store, 2, { perProject: 3, underWay }), "a9 b9")
  }
)

const ties = law(
  "claim/ties-in-long-lanes",
  "In a lane, deliveries that became due at the same time come by id, character by character, and due times by number.",
  function* (store) {
    const one = (id: string, dueAt: number, bulk: boolean) => {
      const name = `del_${id}_${Number(bulk)}` as const
      return sample.delivery({ id: name, dueAt, dueSetAt: dueAt, bulk })
    }
    yield* insertAll(
      store,
      [false, true].flatMap((bulk) => [
        one("a", 999, bulk),
        one("C", 1000, bulk),
        one("b", 1000, bulk),
        one("B", 999, bulk),
        one("c", 1000, bulk)
      ])
    )
    yield* same("a claim of 2", yield* take(store, 2, {}, { now: 1001, leaseUntil: 2000 }), "B_0 B_1")
    yield* same("a claim of 6", yield* take(store, 6, {}, { now: 1001, leaseUntil: 2000 }), "a_0 a_1 C_0 C_1 b_0 b_1")
    yield* same("a claim of the rest", yield* take(store, 9, {}, { now: 1001, leaseUntil: 2000 }), "c_0 c_1")
  }
)

const projectsDifferByCase = law(
  "claim/projects-differ-by-case",
  "Projects whose ids differ only by case take turns, and the limit of one counts nothing of the other.",
  function* (store) {
    const ofProject = (projectId: string) =>
      [4, 3, 2, 1].map((n) =>
        sample.delivery({ id: `del_${projectId}${n}`, projectId, dueAt: noon - n, dueSetAt: noon - n })
      )
    yield* insertAll(store, [...ofProject("acme"), ...ofProject("Acme")])
    const underWay = [{ projectId: "acme", count: 1 }]
    yield* same("when one can take no more", yield* take(store, 2, { perProject: 1, underWay }), "Acme4")
    yield* same("when one can take one more", yield* take(store, 9, { perProject: 2, underWay }), "Acme3 acme4 Acme2")
    yield* insertAll(store, ofProject("Beta"))
    yield* same("with a project between them", yield* take(store, 3), "Acme1 Beta4 acme3")
    const after = { projectId: "Acme", bulk: false }
    yield* same("the rest, after the lane of one", yield* take(store, 9, { after }), "Beta3 acme2 Beta2 acme1 Beta1")
  }
)

export const claimFairnessLaws: ReadonlyArray<StoreLaw> = [
  overProjects,
  manyProjects,
  overLanes,
  continuesAfter,
  limitOfProject,
  shortLanes,
  skipsClaimed,
  everyKind,
  otherKinds,
  longLanes,
  passesOverFull,
  ties,
  projectsDifferByCase
]
