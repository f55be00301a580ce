/**
 * A mutant of the SQLite store for each law that needs a durable or shared store, or one that joins transactions of the product.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { JoinedTransaction, MailStoreShape } from "@mailkeep/core/adapter"
import { MailStore, TransactionRefused } from "@mailkeep/core/adapter"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect, Layer, Semaphore, Stream } from "effect"
import type { StoreSubject } from "../../src/index.ts"
import { beginTransaction } from "../../../sqlite/test/productTransaction.ts"
import type { Mutation } from "./mutating.ts"
import { answering, refused } from "./mutating.ts"
import { expectedApart, oneByOne, replacedLate } from "./commitMutants.ts"
import { recordedApart } from "./claimMutants.ts"

/** Keeps settings in memory until `flush` writes them. */
const buffered = (store: MailStoreShape) => {
  const settings = new Map<string, string>()
  const mutant: MailStoreShape = {
    ...answering("Setting", (value, { name }) => settings.get(name) ?? value)(store),
    commit: (changes) => {
      for (const change of changes) if (change._tag === "PutSetting") settings.set(change.name, change.value)
      const rest = changes.filter(({ _tag }) => _tag !== "PutSetting")
      return rest.length === 0 ? Effect.yieldNow : store.commit(rest)
    }
  }
  const flush = Effect.forEach(settings, ([name, value]) =>
    Effect.ignore(store.commit([{ _tag: "PutSetting", name, value }]))
  )
  return { mutant, flush: Effect.suspend(() => flush) }
}

/** Reads the counter first and counterChanges afterwards. */
const checkedFirst: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.gen(function* () {
      const [change] = changes
      if (change?._tag !== "AddToCounter") return yield* store.commit(changes)
      const { projectId, name, by, max } = change
      const [[value]] = yield* store.read([{ _tag: "Counters", projectId, names: [name] }])
      if (max !== null && value! + by > max) return yield* refused(change, "Exhausted")
      yield* Effect.sleep("3 millis")
      yield* store.commit([{ ...change, max: null }])
    })
})

/** Runs the commits of this store one after the other. Those of another process run beside them. */
const inTurn =
  (mutate: Mutation): Mutation =>
  (store) => {
    const mutant = mutate(store)
    const turn = Semaphore.makeUnsafe(1)
    return { ...mutant, commit: (changes) => turn.withPermits(1)(mutant.commit(changes)) }
  }

const ownWritesOnly: Mutation = (store) => {
  const own = new Set<string>()
  const shown = answering("Setting", (value, { name }) => (own.has(name) ? value : null))(store)
  return {
    ...shown,
    commit: (changes) => {
      for (const change of changes) if (change._tag === "PutSetting") own.add(change.name)
      return store.commit(changes)
    }
  }
}

const leasesIgnored: Mutation = (store) => ({
  ...store,
  claim: (claim) =>
    Effect.andThen(
      Effect.orDie(
        store.commit(
          ["w0", "w1", "w2"].flatMap((worker) =>
            worker === claim.worker ? [] : [{ _tag: "EndLease", worker } as const]
          )
        )
      ),
      store.claim(claim)
    )
})

const deafToClosing: Mutation = (store) => ({
  ...store,
  commit: (changes) => Effect.catchTag(store.commit(changes), "StoreUnavailable", () => Effect.void)
})

/** Acknowledges a commit and writes it later, when the store may be closed. */
const acknowledgedEarly: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.asVoid(Effect.forkDetach(Effect.ignore(Effect.andThen(Effect.sleep("20 millis"), store.commit(changes)))))
})

const joining =
  (change: (joined: JoinedTransaction) => JoinedTransaction): Mutation =>
  (store) => ({
    ...store,
    joinTransaction: (connection) => Effect.map(store.joinTransaction!(connection), change)
  })

/** Answers with the settings of transactions that were rolled back. */
const remembering: Mutation = (store) => {
  const settings = new Map<string, string>()
  const withCommit = (one: MailStoreShape): MailStoreShape => ({
    ...one,
    commit: (changes) => {
      for (const change of changes) if (change._tag === "PutSetting") settings.set(change.name, change.value)
      return one.commit(changes)
    }
  })
  const shown = answering("Setting", (value, { name }) => settings.get(name) ?? value)(store)
  return joining((joined) => ({ ...joined, store: withCommit(joined.store) }))(shown)
}

const withoutConflicts: Mutation = (store) => ({
  ...store,
  commit: (changes) => Effect.catchTag(store.commit(changes), "Conflict", () => Effect.void)
})

/** Gives one reason for each failure. */
const refusing =
  (reason: TransactionRefused["reason"]): Mutation =>
  (store) => ({
    ...store,
    joinTransaction: (connection) =>
      Effect.mapError(store.joinTransaction!(connection), () => new TransactionRefused({ reason }))
  })

const wrapped =
  (mutation: Mutation) =>
  (filename: string): Layer.Layer<MailStore, unknown> =>
    Layer.effect(MailStore, Effect.map(SqliteMailStore.make({ filename, commitThread: "caller" }), mutation))

const layers: Readonly<Record<string, (filename: string) => Layer.Layer<MailStore, unknown>>> = {
  "durability/kept-after-reopening": wrapped((store) => buffered(store).mutant),
  "durability/acknowledged-survives-a-kill": (filename) =>
    Layer.effect(
      MailStore,
      Effect.gen(function* () {
        const { mutant, flush } = buffered(yield* SqliteMailStore.make({ filename, commitThread: "caller" }))
        yield* Effect.addFinalizer(() => flush)
        return mutant
      })
    ),
  "durability/closed-is-reported": wrapped(deafToClosing),
  "durability/closed-while-busy": wrapped(acknowledgedEarly),
  "processes/one-claimant-each": wrapped(leasesIgnored),
  "processes/no-update-is-lost": wrapped(checkedFirst),
  "processes/one-writer-wins": wrapped(recordedApart(Effect.sleep("3 millis"))),
  "processes/one-of-many-changed": wrapped(inTurn(replacedLate)),
  "processes/each-kind-is-expected-in-a-race": wrapped(inTurn(expectedApart)),
  "processes/read-is-one-state": wrapped(oneByOne),
  "processes/others-are-seen": wrapped(ownWritesOnly),
  "processes/reports-other-processes": wrapped((store) => ({ ...store, commitsOfOtherProcesses: Stream.never })),
  "processes/reports-commits-since-opening": wrapped((store) => ({
    ...store,
    commitsOfOtherProcesses: Stream.drop(store.commitsOfOtherProcesses, 1)
  })),
  "transactions/commit-with-the-product": wrapped(joining((joined) => ({ ...joined, end: () => joined.end(false) }))),
  "transactions/roll-back-with-the-product": wrapped(remembering),
  "transactions/undo-one-call": wrapped(joining((joined) => ({ ...joined, end: () => joined.end(true) }))),
  "transactions/conflict-within-a-call": wrapped(
    joining((joined) => ({ ...joined, store: withoutConflicts(joined.store) }))
  ),
  "transactions/the-end-is-noticed": wrapped(joining((joined) => ({ ...joined, transactionEnded: Effect.void }))),
  "transactions/refuse-what-is-none": wrapped(refusing("not_supported")),
  "transactions/a-closed-store-joins-none": wrapped(refusing("not_open"))
}

/** @public Opens the mutant of a law in another process; the argument is `LAW FILE`. */
export const open = (argument: string) => {
  const [law, filename] = argument.split(" ") as [string, string]
  return layers[law]!(filename)
}

const subject = (law: string): StoreSubject => ({
  place: Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "mailkeep-mutant-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ).pipe(
    Effect.map((folder) => {
      const filename = join(folder, "mail.db")
      const argument = `${law} ${filename}`
      return {
        layer: open(argument),
        child: { module: new URL(import.meta.url), argument },
        beginTransaction: beginTransaction(filename)
      }
    })
  )
})

export const lastingMutants: Readonly<Record<string, StoreSubject>> = Object.fromEntries(
  Object.keys(layers).map((law) => [law, subject(law)])
)
