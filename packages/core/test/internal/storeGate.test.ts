/**
 * The gate keeps the laws of the store behind it, and does not believe one that breaks them.
 */
import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Exit, Layer } from "effect"
import { describe, expect, it } from "vitest"
import type { Claim, Delivery, MailStoreShape } from "../../src/index.ts"
import { Conflict, freshState } from "../../src/index.ts"
import { gated, storeGate } from "../../src/internal/storeGate.ts"

conforms("memory behind the core's gate", storeLaws, { place: Layer.provide(storeGate, MemoryMailStore.layer) })

const claim: Claim = { kind: "dueQueued", now: 10, limit: 1, worker: "w", leaseUntil: 20 }

const row: Delivery = {
  ...freshState,
  id: "del_1",
  projectId: "p",
  messageId: "msg_1",
  kind: "to",
  recipient: "a@example.org",
  address: "a@example.org",
  contactId: null,
  source: "api",
  createdAt: 1,
  dueAt: 10,
  worker: "w",
  token: 1
}

const put = (name: string) => ({ _tag: "PutSetting", name, value: "1" }) as const

/** What an adapter's answer makes of the gate: a value, or the law that it names. */
const through = async (
  part: Partial<MailStoreShape>,
  ask: (store: MailStoreShape) => Effect.Effect<unknown, unknown>
) => {
  const store = { ...(await Effect.runPromise(MemoryMailStore.make)), ...part }
  const exit = await Effect.runPromise(Effect.exit(ask(gated(store))))
  if (Exit.isSuccess(exit)) return exit.value
  const [reason] = exit.cause.reasons
  return reason?._tag === "Die" ? (reason.defect as { law: string }).law : reason?._tag
}

describe("an answer that breaks the port's promise", () => {
  it.each<[law: string, rows: ReadonlyArray<Delivery>]>([
    ["claim/no-more-than-asked", [row, row]],
    ["claim/takes-what-is-due", [{ ...row, dueAt: 11 }]],
    ["claim/takes-what-is-due", [{ ...row, dueAt: null }]],
    ["claim/takes-what-is-due", [{ ...row, status: "sending" }]],
    ["claim/stamps-worker-and-token", [{ ...row, worker: "other" }]]
  ])("is refused by name: %s", async (law, rows) => {
    expect(await through({ claim: () => Effect.succeed(rows) }, (store) => store.claim(claim))).toBe(law)
  })

  it("is refused where a read leaves one out, or a conflict names no change of the commit", async () => {
    const read = (() => Effect.succeed([])) as unknown as MailStoreShape["read"]
    expect(await through({ read }, (store) => store.read([{ _tag: "Projects" }]))).toBe("read/one-answer-each")
    const commit = () => Effect.fail(new Conflict({ at: 7, change: "PutSetting", reason: "AlreadyExists" }))
    expect(await through({ commit }, (store) => store.commit([put("a")]))).toBe("commit/tells-which-guard")
  })

  it("is believed when it keeps it", async () => {
    expect(await through({ claim: () => Effect.succeed([row]) }, (store) => store.claim(claim))).toEqual([row])
  })
})

describe("what need not be asked", () => {
  const unasked = () => Effect.die("asked")

  it("is not: an empty commit, and a claim of nothing", async () => {
    expect(await through({ commit: unasked }, (store) => store.commit([]))).toBeUndefined()
    expect(await through({ claim: unasked }, (store) => store.claim({ ...claim, limit: 0 }))).toEqual([])
  })
})

it("a commit reaches the store in its one order", async () => {
  let seen: ReadonlyArray<string> = []
  const commit: MailStoreShape["commit"] = (changes) =>
    Effect.sync(() => {
      seen = changes.map((change) => (change._tag === "PutSetting" ? change.name : change._tag))
    })
  await through({ commit }, (store) => store.commit([{ _tag: "EndLease", worker: "w" }, put("b"), put("a")]))
  expect(seen).toEqual(["a", "b", "EndLease"])
})
