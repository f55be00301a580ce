/**
 * The law of the empty store: each query has an answer, although there is nothing.
 */
import type { Query } from "@mailkeep/core/adapter"
import { noContactFilters, noDomainFilters, noLogFilters, recordKinds, wholeRotation } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { checkAnswers } from "./queries.ts"
import { noon, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

const walk = { after: null, skip: 0, limit: 9, scanLimit: 9 } as const
const page = { page: 1, limit: 9 } as const
const resources = { projectId, kind: "list", parent: "" } as const
const lease = { now: noon, limit: 9, worker: "w", leaseUntil: noon + 1 } as const

/** Every query, each with its answer when there is no record. */
const answers: ReadonlyArray<readonly [Query, unknown]> = [
  [{ _tag: "Setting", name: "s" }, null],
  [{ _tag: "Project", id: projectId }, null],
  [{ _tag: "Projects" }, []],
  [{ _tag: "ApiKeyByPublicId", publicId: "p" }, null],
  [{ _tag: "ApiKey", projectId, id: "key_1" }, null],
  [{ _tag: "ApiKeys", projectId }, []],
  [{ _tag: "Domain", projectId, domain: "a.example" }, null],
  [{ _tag: "DomainById", projectId, id: "dom_1" }, null],
  [{ _tag: "DomainsDue", now: noon, limit: 9 }, []],
  [
    { _tag: "DomainPage", projectId, filters: noDomainFilters, page },
    { items: [], total: 0 }
  ],
  [{ _tag: "Contact", projectId, id: "con_1" }, null],
  [{ _tag: "ContactsByAddress", projectId, addresses: ["a@example.org"] }, [null]],
  [{ _tag: "ContactPage", projectId, emailStatus: null, listId: null, ...walk }, []],
  [{ _tag: "ContactPage", projectId, emailStatus: null, listId: "lst_1", ...walk }, []],
  ...[{}, { search: "a" }, { search: "ada" }, { listId: "lst_1" }].map(
    (some) =>
      [
        { _tag: "ContactScan", projectId, filters: { ...noContactFilters, ...some }, ...walk },
        { items: [], matches: 0, next: null }
      ] as const
  ),
  [{ _tag: "Resource", projectId, id: "lst_1" }, null],
  [{ _tag: "ResourceCount", ...resources }, 0],
  [
    { _tag: "ResourcePage", ...resources, page },
    { items: [], total: 0 }
  ],
  [{ _tag: "ResourceNamed", ...resources, name: "n" }, null],
  [{ _tag: "Resources", ...resources, after: null, limit: 9 }, []],
  [{ _tag: "Suppressions", projectId, addressKeys: ["k"] }, [null]],
  [
    {
      _tag: "SuppressionPage",
      projectId,
      search: null,
      addressPart: null,
      now: noon,
      after: null,
      limit: 9,
      scanLimit: 9
    },
    { items: [], next: null }
  ],
  [{ _tag: "Counters", projectId, names: ["allowance"] }, [0]],
  [{ _tag: "Idempotency", projectId, key: "k" }, null],
  [{ _tag: "Message", projectId, id: "msg_1" }, null],
  [{ _tag: "MessagesBefore", before: noon, after: null, limit: 9 }, []],
  [{ _tag: "ContentChunk", projectId, hash: "a", chunk: 0 }, null],
  [{ _tag: "Delivery", projectId, id: "del_1" }, null],
  [{ _tag: "DeliveryById", id: "del_1" }, null],
  [{ _tag: "DeliveriesOfMessage", projectId, messageId: "msg_1" }, []],
  [{ _tag: "Attempts", projectId, deliveryId: "del_1" }, []],
  ...[{}, { search: "a" }, { address: "a@example.org" }, { contactId: "con_1" }].map(
    (some) =>
      [
        { _tag: "LogPage", projectId, filters: { ...noLogFilters, ...some }, ...walk },
        { items: [], next: null }
      ] as const
  ),
  [{ _tag: "Events", projectId, after: null, limit: 9 }, []],
  [{ _tag: "Event", projectId, id: "evt_1" }, null],
  [{ _tag: "EventsOfDelivery", projectId, deliveryId: "del_1" }, []],
  [{ _tag: "UndistributedEvents", limit: 9 }, []],
  [{ _tag: "EventDelivery", projectId, id: "evd_1" }, null],
  [{ _tag: "EventDeliveryPage", projectId, subscriber: "whk_1", after: null, limit: 9 }, []],
  [{ _tag: "PendingEventDeliveries", now: noon }, []],
  [{ _tag: "NextDue", worker: "w", now: noon }, null],
  [
    { _tag: "Backlog", now: noon },
    { scheduled: 0, queued: 0, sending: 0, oldestDueAt: null }
  ],
  [
    { _tag: "WorkHealth", dueBefore: noon, leaseEndedBefore: noon },
    { late: 0, abandoned: 0, eventDeliveries: 0 }
  ],
  ...recordKinds.flatMap((kind) =>
    [null, projectId].map(
      (project) => [{ _tag: "Records", kind, projectId: project, after: null, limit: 9 }, []] as const
    )
  ),
  [{ _tag: "RecordsByKey", kind: "Message", keys: [[projectId, "msg_1"]] }, [null]],
  [
    { _tag: "UsageAudit", projectId },
    { counters: [], scheduledRecipients: 0, charged: 0, counted: [], contacts: 0, unsubscribed: 0 }
  ]
]

const answered = law(
  "read/empty-store-answers",
  "An empty store answers every query with null, 0 or an empty list, and its claims and sweeps find nothing.",
  function* (store) {
    yield* checkAnswers(store, answers)
    yield* same(
      "the claimed deliveries",
      yield* store.claim({ kind: "dueQueued", rotation: wholeRotation, ...lease }),
      []
    )
    const claimedEvents = yield* store.claimEventDeliveries({ subscriber: "whk_1", ...lease })
    yield* same("the claimed event deliveries", claimedEvents, [])
    for (const kind of ["events", "idempotency", "leases", "eventDeliveries"] as const)
      yield* same(`the number of a sweep of ${kind}`, yield* store.sweep({ kind, before: noon, limit: 9 }), 0)
    const swept = yield* store.sweepMessages({ before: noon, after: null, limit: 9 })
    yield* same("what a sweep of messages did", swept, { deleted: 0, next: null })
  }
)

export const emptyStoreLaws: ReadonlyArray<StoreLaw> = [answered]
