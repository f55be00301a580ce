/**
 * Random scripts of commits, claims, sweeps and reads over a small world, so that records meet.
 */
import type { Change, Claim, DeliveryState, Query, Sweep } from "@mailkeep/core"
import {
  attemptPhases,
  changeOrder,
  claimableStatuses,
  claimKinds,
  deliveryStatuses,
  freshState,
  inCommitOrder,
  noContactFilters,
  noLogFilters,
  suppressionReasons,
  sweepKinds,
  touches
} from "@mailkeep/core"
import * as fc from "fast-check"

const of = fc.constantFrom
const few = (count: number, prefix: string) => fc.nat(count - 1).map((n) => `${prefix}${n}`)
const orNull = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })

const projectId = of("p1", "p1", "p1", "p-1")
const address = few(4, "a@x")
const deliveryId = few(5, "del_") as fc.Arbitrary<`del_${string}`>
const messageId = few(4, "msg_") as fc.Arbitrary<`msg_${string}`>
const contactId = few(4, "con_") as fc.Arbitrary<`con_${string}`>
const keyId = few(3, "key_") as fc.Arbitrary<`key_${string}`>
const domainName = of("a.x", "b.x")
const worker = of("w1", "w2", "w3")
const instant = fc.integer({ min: 1000, max: 1004 })
const token = fc.nat(1)
const revision = fc.integer({ min: 1, max: 2 })
const replaces = fc.option(revision, { nil: null, freq: 1 })
const text = of("Ada", "ÄÖ", "straße", "x%y_z", "", "İstanbul", "\u212a", "🎉 party", "a b", "UPPER")
/** Mostly those that a claim reaches. */
const status = of(...deliveryStatuses, ...claimableStatuses, ...claimableStatuses, ...claimableStatuses)

const deliveryState: fc.Arbitrary<DeliveryState> = fc
  .record({
    status,
    dueAt: instant,
    worker: orNull(worker),
    token,
    reachedRelay: fc.boolean(),
    countedDay: of(null, "2026-01-01", "2026-01-02"),
    chargedAt: orNull(instant),
    statusMessage: orNull(text),
    scheduledAt: orNull(instant)
  })
  .map((state) => {
    const waits = (claimableStatuses as ReadonlyArray<string>).includes(state.status)
    return { ...freshState, ...state, ...(waits ? {} : { dueAt: null, worker: null }) }
  })

const attemptState = fc.record({
  phase: of(...attemptPhases),
  outcome: of(null, "lost" as const),
  smtpCode: of(null, 250),
  enhancedCode: of(null, "4.2.0"),
  message: orNull(text),
  durationMillis: orNull(fc.nat(9))
})

const tagged = <const T extends string, R extends object>(tag: T, record: fc.Arbitrary<R>) =>
  record.map((fields) => ({ _tag: tag, ...fields }))

/** One for each kind of change, in the order of `changeOrder`. */
const changes: ReadonlyArray<fc.Arbitrary<Change>> = [
  tagged(
    "Expect",
    fc.record({
      record: fc.oneof(
        fc.record({ kind: of("ApiKey" as const), id: keyId }),
        fc.record({ kind: of("Domain" as const), projectId, domain: domainName }),
        fc.record({ kind: of("Suppression" as const), projectId, address }),
        fc.record({ kind: of("ContactAddress" as const), projectId, address })
      ),
      revision: replaces
    })
  ),
  tagged("PutSetting", fc.record({ name: few(3, "s"), value: text })),
  tagged(
    "PutProject",
    fc.record({
      project: fc.record({
        id: projectId,
        onAmbiguous: of("retry" as const, "fail" as const),
        createdAt: instant,
        revision
      }),
      replaces
    })
  ),
  tagged(
    "PutApiKey",
    fc.record({
      key: fc.record({
        id: keyId,
        projectId,
        publicId: few(3, "pub"),
        secretHash: of("h"),
        name: text,
        permissions: of(["email.send" as const]),
        domainScope: of(null, ["a.x"]),
        createdAt: instant,
        expiresAt: orNull(instant),
        revokedAt: orNull(instant),
        lastUsedAt: orNull(instant),
        revision
      }),
      replaces
    })
  ),
  tagged("TouchApiKey", fc.record({ id: keyId, lastUsedAt: instant })),
  tagged(
    "PutDomain",
    fc.record({
      domain: fc.record({
        projectId,
        domain: domainName,
        status: of("pending" as const, "verified" as const),
        createdAt: instant,
        updatedAt: instant,
        lastVerifiedAt: orNull(instant),
        revision
      }),
      replaces
    })
  ).map((put) => ({
    ...put,
    domain: { ...put.domain, id: `dom_${put.domain.projectId}${put.domain.domain}` as const }
  })),
  tagged(
    "PutContact",
    fc.record({
      contact: fc.record({
        id: contactId,
        projectId,
        email: text,
        address,
        userId: orNull(text),
        firstName: text,
        lastName: text,
        phoneNumber: orNull(text),
        emailStatus: of("subscribed" as const, "unsubscribed" as const),
        source: of("manual" as const),
        createdAt: instant,
        updatedAt: instant,
        revision
      }),
      replaces
    })
  ),
  tagged(
    "PutSuppression",
    fc.record({
      suppression: fc.record({
        projectId,
        address,
        reasons: fc.dictionary(of(...suppressionReasons), instant, { noNullPrototype: true }),
        revision
      }),
      replaces
    })
  ),
  tagged(
    "RecordIdempotency",
    fc.record({
      now: instant,
      record: fc.record({
        projectId,
        key: few(3, "k"),
        fingerprint: text,
        result: fc.record({
          messageId,
          deliveryIds: fc.array(deliveryId, { maxLength: 2 }),
          totalQueued: fc.nat(3),
          scheduledAt: orNull(instant)
        }),
        expiresAt: instant
      })
    })
  ),
  tagged("ExtendIdempotency", fc.record({ projectId, key: few(3, "k"), expiresAt: instant })),
  tagged(
    "InsertMessage",
    fc.record({
      message: fc.record({
        id: messageId,
        projectId,
        keyId: orNull(keyId),
        source: of("api" as const, "embedded" as const),
        from: of("me@x.example"),
        fromName: orNull(text),
        replyTo: of(null),
        domain: domainName,
        subject: text,
        html: orNull(text),
        text: orNull(text),
        to: fc.array(address, { maxLength: 2 }),
        cc: of([]),
        metadata: fc.dictionary(
          of("a", "b"),
          fc.oneof(
            text,
            fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
            fc.boolean()
          ),
          { noNullPrototype: true }
        ),
        idempotencyKey: of("k"),
        onAmbiguous: of(null, "fail" as const),
        expiresAt: orNull(instant),
        createdAt: instant
      })
    })
  ),
  tagged(
    "InsertDelivery",
    fc.record({
      delivery: fc
        .record({
          id: deliveryId,
          projectId,
          messageId,
          kind: of("to" as const, "bcc" as const),
          recipient: text,
          address,
          contactId: orNull(contactId),
          source: of("api" as const, "smtp" as const),
          createdAt: instant,
          state: deliveryState
        })
        .map(({ state, ...identity }) => ({ ...identity, ...state }))
    })
  ),
  tagged(
    "InsertAttempt",
    fc.record({
      attempt: fc
        .record({ deliveryId, number: fc.integer({ min: 1, max: 3 }), startedAt: instant, state: attemptState })
        .map(({ state, ...identity }) => ({ ...identity, ...state }))
    })
  ),
  tagged(
    "MoveAttempt",
    fc.record({
      deliveryId,
      number: fc.integer({ min: 1, max: 3 }),
      token,
      from: of(...attemptPhases),
      next: attemptState
    })
  ),
  tagged("MoveDelivery", fc.record({ id: deliveryId, from: status, token, next: deliveryState })),
  tagged(
    "SpendCounter",
    fc.record({
      projectId,
      name: of("waiting" as const, "allowance" as const, "daily:2026-01-01" as const),
      by: fc.integer({ min: -4, max: 4 }),
      max: of(null, 1, 3)
    })
  ),
  tagged(
    "AppendEvent",
    fc.record({
      event: fc.record({
        id: few(20, "evt_") as fc.Arbitrary<`evt_${string}`>,
        projectId,
        occurredAt: instant,
        kind: of("email.failed" as const),
        data: fc.record({
          deliveryId,
          messageId,
          recipient: text,
          contactId: orNull(contactId),
          status,
          previousStatus: status,
          reason: of(null),
          sequence: fc.nat(3),
          bounceType: of(null),
          smtpCode: of(null),
          enhancedCode: of(null),
          message: orNull(text)
        })
      })
    })
  ),
  tagged("RenewLease", fc.record({ worker, leaseUntil: instant })),
  tagged("EndLease", fc.record({ worker }))
]

/** What most of the answers depend on comes often. */
const often: ReadonlySet<string> = new Set([
  "InsertMessage",
  "InsertDelivery",
  "MoveDelivery",
  "SpendCounter",
  "PutContact"
])

const change: fc.Arbitrary<Change> = fc.oneof(
  ...changes.map((arbitrary, place) => ({ weight: often.has(changeOrder[place]!) ? 5 : 1, arbitrary }))
)

/** Changes of different records, in the order of a commit. */
const commit = fc.uniqueArray(change, { minLength: 1, maxLength: 4, selector: touches }).map(inCommitOrder)

const page = fc.record({ page: fc.integer({ min: 1, max: 3 }), limit: fc.integer({ min: 1, max: 4 }) })

const query: fc.Arbitrary<Query> = fc.oneof(
  tagged("Setting", fc.record({ name: few(3, "s") })),
  tagged("Project", fc.record({ id: projectId })),
  tagged("Projects", fc.record({})),
  tagged("ApiKeyByPublicId", fc.record({ publicId: few(3, "pub") })),
  tagged("ApiKey", fc.record({ id: keyId })),
  tagged("ApiKeys", fc.record({ projectId })),
  tagged("Domain", fc.record({ projectId, domain: domainName })),
  tagged("DomainPage", fc.record({ projectId, page })),
  tagged("Contact", fc.record({ projectId, id: contactId })),
  tagged("ContactsByAddress", fc.record({ projectId, addresses: fc.array(address, { maxLength: 3 }) })),
  tagged(
    "ContactPage",
    fc.record({
      projectId,
      filters: fc
        .record({ search: orNull(text), emailStatus: of(null, "subscribed" as const) })
        .map((filters) => ({ ...noContactFilters, ...filters })),
      page
    })
  ),
  tagged("Suppressions", fc.record({ projectId, addresses: fc.array(address, { maxLength: 3 }) })),
  tagged("Counters", fc.record({ projectId, names: of(["waiting", "allowance", "daily:2026-01-01"] as const) })),
  tagged("Idempotency", fc.record({ projectId, key: few(3, "k") })),
  tagged("Message", fc.record({ projectId, id: messageId })),
  tagged("Delivery", fc.record({ projectId, id: deliveryId })),
  tagged("DeliveriesOfMessage", fc.record({ projectId, messageId })),
  tagged("Attempts", fc.record({ deliveryId })),
  tagged(
    "LogPage",
    fc.record({
      projectId,
      filters: fc
        .record({
          status: orNull(status),
          source: of(null, "api"),
          address: fc.option(address, { nil: null, freq: 2 }),
          search: fc.option(fc.oneof(text, deliveryId, messageId), { nil: null, freq: 2 }),
          contactId: fc.option(contactId, { nil: null, freq: 2 }),
          startDate: fc.option(instant, { nil: null, freq: 2 }),
          endDate: fc.option(instant, { nil: null, freq: 2 })
        })
        .map((filters) => ({ ...noLogFilters, ...filters })),
      after: orNull(fc.record({ createdAt: instant, id: deliveryId })),
      limit: fc.integer({ min: 1, max: 4 }),
      examine: of(1, 2, 3, 1000)
    })
  ),
  tagged("Events", fc.record({ projectId, after: orNull(few(20, "evt_")), limit: fc.integer({ min: 1, max: 6 }) })),
  tagged("NextDue", fc.record({ worker, now: instant })),
  tagged("Backlog", fc.record({ now: instant })),
  tagged("Ledger", fc.record({ projectId }))
)

const claim: fc.Arbitrary<Claim> = fc.record({
  kind: of(...(Object.keys(claimKinds) as Array<keyof typeof claimKinds>)),
  now: instant,
  limit: fc.integer({ min: 1, max: 3 }),
  worker,
  leaseUntil: instant
})

const sweep: fc.Arbitrary<Sweep> = fc.record({
  kind: of(...sweepKinds),
  before: instant,
  limit: fc.integer({ min: 1, max: 3 })
})

export type Step =
  | { readonly commit: ReadonlyArray<Change> }
  | { readonly claim: Claim }
  | { readonly sweep: Sweep }
  | { readonly read: ReadonlyArray<Query> }

export const script: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ commit }) },
    { weight: 2, arbitrary: fc.record({ claim }) },
    { weight: 1, arbitrary: fc.record({ sweep }) },
    { weight: 4, arbitrary: fc.record({ read: fc.array(query, { minLength: 1, maxLength: 3 }) }) }
  ),
  { minLength: 1, maxLength: 150, size: "max" }
)
