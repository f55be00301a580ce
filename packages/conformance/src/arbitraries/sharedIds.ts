/**
 * A small set of ids and values, so that the steps of a random script use the same records.
 */
import type { DeliveryState, EventDeliveryState } from "@mailkeep/core/adapter"
import { attemptPhases, claimableStatuses, deliveryStatuses, freshState } from "@mailkeep/core/adapter"
import * as fc from "fast-check"

export const of = fc.constantFrom
/** Makes plain objects, as the core does. */
export const record = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>
export const orNull = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })

const numbered = <const P extends string>(count: number, prefix: P): ReadonlyArray<`${P}${number}`> =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}` as const)

/** The ids and names of records. */
export const names = {
  settings: [...numbered(3, "s"), "S1"],
  projects: ["p1", "p-1"],
  keys: numbered(3, "key_"),
  publicIds: numbered(3, "pub"),
  domains: ["a.x", "b.x"],
  addresses: [...numbered(3, "a@x"), "A@x0"],
  contacts: [...numbered(3, "con_"), "con_a", "con_A"],
  resources: numbered(4, "lst_"),
  resourceNames: ["n1", "N1"],
  parents: ["", "lst_0"],
  idempotencyKeys: [...numbered(3, "k"), "K1"],
  messages: numbered(4, "msg_"),
  hashes: numbered(3, "h"),
  deliveries: numbered(5, "del_"),
  events: numbered(20, "evt_"),
  eventDeliveries: numbered(4, "evd_"),
  subscribers: ["whk_1", "sub_1"],
  workers: ["w1", "w2", "w3"]
} as const

/** Mostly one project, so that most records share it. */
export const projectId = of("p1", "p1", "p1", "p-1")

/** The fields with ids of records. An id belongs to one project, because a store may refuse an id that another project has. */
const idFields: ReadonlySet<string> = new Set([
  "id",
  "publicId",
  "apiKeyId",
  "messageId",
  "deliveryId",
  "contactId",
  "eventId"
])

/** The id of a record in a project: the shared id itself in the first project. */
export const idIn = <I extends string>(projectId: string, id: I): I =>
  projectId === names.projects[0] ? id : (`${id}${projectId}` as I)

/** The fields with ids of the project. The arbitraries make the ids of the first project. */
export const withIdsIn = <R extends object>(projectId: string, record: R): R =>
  projectId === names.projects[0]
    ? record
    : (Object.fromEntries(
        Object.entries(record).map(([field, value]: [string, unknown]) => [
          field,
          idFields.has(field) && typeof value === "string" ? idIn(projectId, value) : value
        ])
      ) as R)

/** The record with ids of its own project. */
export const withOwnIds = <R extends { readonly projectId: string }>(record: R): R =>
  withIdsIn(record.projectId, record)

/** An id with a project, which is mostly that of the id. */
export const keyOf = <I extends string>(id: fc.Arbitrary<I>): fc.Arbitrary<{ projectId: "p1" | "p-1"; id: I }> =>
  fc.tuple(projectId, id, fc.nat(7)).map(([project, id, chance]) => {
    const other = project === "p1" ? "p-1" : "p1"
    return { projectId: project, id: idIn(chance === 0 ? other : project, id) }
  })
export const address = of(...names.addresses)
export const deliveryId = of(...names.deliveries)
export const messageId = of(...names.messages)
export const contentHash = of(...names.hashes)
/** Small parts: no store compares their sizes. */
export const contentChunks = fc.array(fc.uint8Array({ maxLength: 3 }), { minLength: 1, maxLength: 3 })
export const contactId = of(...names.contacts)
export const resourceId = of(...names.resources)
export const resourceName = of(...names.resourceNames)
export const parent = of(...names.parents)
/** The content of the records is that of a list. No store reads it. */
export const resourceKind = of("list" as const, "list" as const, "segment" as "list")
/** In any order. */
export const listIds = fc.shuffledSubarray(["lst_0", "lst_1"])
export const propertyValues = of(
  {},
  { prop_0: 1 },
  { prop_0: 2 },
  { prop_0: -1.5, prop_2: "2026-03-01" },
  { prop_0: 10, prop_1: "" },
  { prop_1: "Ada" },
  { prop_0: 1, prop_1: "b", prop_2: "1970-01-01T00:00:01+00:00" },
  { prop_1: "🎉 party" }
)
export const apiKeyId = of(...names.keys)
export const publicId = of(...names.publicIds)
export const settingName = of(...names.settings)
export const idempotencyKey = of(...names.idempotencyKeys)
export const eventId = of(...names.events)
export const domainName = of(...names.domains)
export const worker = of(...names.workers)
/** Instants of three and of four digits. */
export const instant = fc.integer({ min: 998, max: 1003 })
export const fencingToken = fc.nat(1)
export const revision = fc.integer({ min: 1, max: 2 })
export const replaces = fc.option(revision, { nil: null, freq: 1 })
export const text = of(
  "Ada",
  "ÄÖ",
  "straße",
  "x%y_z",
  "",
  "İstanbul",
  "\u212a",
  "🎉 party",
  "🎉🎊x",
  "a b",
  "UPPER",
  'a"b',
  "null"
)
/** From 10 on, the order of the texts differs from the order of the numbers. */
export const attemptNumber = of(1, 2, 3, 10, 11)
/** Mostly the statuses that a claim can take. */
export const status = of(...deliveryStatuses, ...claimableStatuses, ...claimableStatuses, ...claimableStatuses)

export const deliveryState: fc.Arbitrary<DeliveryState> = record({
  status,
  dueAt: instant,
  dueSetAt: orNull(instant),
  worker: orNull(worker),
  fencingToken,
  reachedRelay: fc.boolean(),
  countedDay: of(null, "2026-01-01", "2026-01-02"),
  chargedAt: orNull(instant),
  statusMessage: orNull(text),
  scheduledAt: orNull(instant)
}).map((state) => {
  const waits = (claimableStatuses as ReadonlyArray<string>).includes(state.status)
  return { ...freshState, ...state, ...(waits ? {} : { dueAt: null, dueSetAt: null, worker: null }) }
})

export const eventDeliveryId = of(...names.eventDeliveries)
export const subscriber = of(...names.subscribers)
export const eventDeliveryStatus = of("pending" as const, "pending" as const, "delivered" as const, "failed" as const)

export const eventDeliveryState: fc.Arbitrary<EventDeliveryState> = record({
  status: eventDeliveryStatus,
  worker: orNull(worker),
  fencingToken,
  at: instant,
  latestAttempts: fc.array(
    record({ at: instant, status: of(null, 200), error: orNull(text), durationMillis: fc.nat(9) }),
    {
      maxLength: 2
    }
  )
}).map(({ status, worker, at, latestAttempts, fencingToken }) => ({
  status,
  dueAt: status === "pending" ? at : null,
  worker: status === "pending" ? worker : null,
  fencingToken,
  attemptCount: latestAttempts.length,
  latestAttempts,
  endedAt: status === "pending" ? null : at
}))

export const attemptState = record({
  phase: of(...attemptPhases),
  outcome: of(null, "no_reply" as const),
  smtpCode: of(null, 250),
  enhancedCode: of(null, "4.2.0"),
  statusMessage: orNull(text),
  durationMillis: orNull(fc.nat(9))
})

/** The fields of two records in one. */
export const merged = <A extends object, B extends object>(a: fc.Arbitrary<A>, b: fc.Arbitrary<B>) =>
  fc.tuple(a, b).map(([one, other]) => ({ ...one, ...other }))

export const tagged = <const T extends string, R extends object>(tag: T, record: fc.Arbitrary<R>) =>
  record.map((fields) => ({ _tag: tag, ...fields }))
