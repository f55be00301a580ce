/**
 * Whole records for laws, in which each field has its own value, and short functions that write and read.
 */
import type {
  ApiKeyRecord,
  Attempt,
  Change,
  ContactRecord,
  ContactFilters,
  CounterName,
  ResourceOf,
  Delivery,
  EventDelivery,
  IdempotencyRecord,
  EventRecord,
  Message,
  ProjectRecord,
  Query,
  QueryOf,
  SenderDomainRecord,
  SuppressionRecord
} from "@mailkeep/core/adapter"
import { freshAttempt, freshState, inCommitOrder, noContactFilters, noLogFilters } from "@mailkeep/core/adapter"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"

/** The default instant of laws. */
export const noon = Date.UTC(2026, 10, 21, 12)
export const projectId = "prj_law"
export const otherId = "prj_other"

export const project = (change: Partial<ProjectRecord> = {}): ProjectRecord => ({
  id: projectId,
  onAmbiguous: "retry",
  createdAt: noon,
  revision: 1,
  ...change
})

export const apiKey = (change: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  id: "key_1",
  projectId,
  publicId: "public000001",
  secretHash: "f".repeat(64),
  name: "A key",
  permissions: ["email.send"],
  domainScope: ["a.example", "b.example"],
  createdAt: noon,
  expiresAt: noon + 1000,
  revokedAt: null,
  lastUsedAt: null,
  revision: 1,
  ...change
})

export const senderDomain = (change: Partial<SenderDomainRecord> = {}): SenderDomainRecord => ({
  id: "dom_1",
  projectId,
  domain: "a.example",
  status: "verified",
  manuallyVerified: false,
  dkim: { selector: "mk1", encryptedPrivateKey: "sealed" },
  records: [
    {
      id: "rec_1",
      purpose: "dkim",
      type: "TXT",
      name: "mk1._domainkey.a.example",
      value: "v=DKIM1; k=rsa; p=MIIB",
      priority: null,
      status: "verified",
      requiredForSending: true,
      lastCheckedAt: noon,
      errorCode: null,
      errorMessage: null
    }
  ],
  verificationError: "The DKIM record is not there.",
  verificationAttempts: 3,
  verificationAttemptedAt: noon,
  lastVerifiedAt: noon,
  failingSince: noon + 1,
  nextCheckAt: noon + 2,
  createdAt: noon,
  updatedAt: noon,
  revision: 1,
  ...change
})

export const contact = (change: Partial<ContactRecord> = {}): ContactRecord => ({
  id: "con_1",
  projectId,
  email: "Ada@example.org",
  address: "ada@example.org",
  userId: "u-1",
  firstName: "Ada",
  lastName: "Lovelace",
  phoneNumber: "+44 20",
  emailStatus: "subscribed",
  source: "manual",
  properties: { prop_1: "gold", prop_2: 7 },
  listIds: ["lst_1", "lst_2"],
  createdAt: noon,
  updatedAt: noon,
  revision: 1,
  ...change
})

/** The content of a list, as a resource. */
export const resource = (change: Partial<ResourceOf<"list">> = {}): ResourceOf<"list"> => ({
  id: "lst_1",
  projectId,
  kind: "list",
  parent: "",
  name: "friends",
  content: { name: "Friends", description: "Who asked for it" },
  createdAt: noon,
  updatedAt: noon,
  revision: 1,
  ...change
})

export const suppression = (change: Partial<SuppressionRecord> = {}): SuppressionRecord => ({
  projectId,
  addressKey: "key-of-ada",
  address: "ada@example.org",
  reasons: { manual: noon },
  revision: 1,
  ...change
})

export const idempotencyRecord = (change: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  projectId,
  key: "k",
  fingerprint: "a".repeat(64),
  result: { messageId: "msg_1", deliveryIds: ["del_1"], totalQueued: 1, scheduledAt: null },
  expiresAt: noon + 1000,
  ...change
})

export const message = (change: Partial<Message> = {}): Message => ({
  id: "msg_1",
  projectId,
  apiKeyId: "key_1",
  source: "api",
  from: "shop@a.example",
  fromName: "The shop",
  replyTo: "reply@a.example",
  domain: "a.example",
  templateId: "tpl_1",
  subject: "Your order",
  html: "<p>Thanks</p>",
  text: "Thanks",
  to: ["ada@example.org"],
  cc: ["bob@example.org"],
  headers: { "List-Id": "orders", "X-Order": "ü 17" },
  metadata: { order: "17", paid: true, sum: 9.5 },
  idempotencyKey: "k",
  onAmbiguous: "fail",
  expiresAt: noon + 9000,
  createdAt: noon,
  ...change
})

/** A queued delivery that is due at noon. */
export const delivery = (change: Partial<Delivery> = {}): Delivery => ({
  ...freshState,
  id: "del_1",
  projectId,
  messageId: "msg_1",
  kind: "to",
  recipient: "Ada@example.org",
  address: "ada@example.org",
  contactId: "con_1",
  source: "api",
  createdAt: noon,
  status: "queued",
  dueAt: noon,
  queuedAt: noon,
  ...change
})

export const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  ...freshAttempt,
  deliveryId: "del_1",
  number: 1,
  startedAt: noon,
  ...change
})

export const event = (change: Partial<Omit<EventRecord, "kind" | "data">> = {}): EventRecord => ({
  id: "evt_1",
  projectId,
  occurredAt: noon,
  kind: "email.delivered",
  data: {
    deliveryId: "del_1",
    messageId: "msg_1",
    recipient: "ada@example.org",
    contactId: null,
    status: "delivered",
    previousStatus: "sending",
    reason: null,
    sequence: 1,
    bounceType: null,
    smtpCode: 250,
    enhancedCode: "2.0.0",
    message: "Ok"
  },
  ...change
})

/** A pending event delivery that is due just before noon. */
export const eventDelivery = (change: Partial<EventDelivery> = {}): EventDelivery => ({
  id: "evd_1",
  projectId,
  subscriber: "whk_1",
  eventId: "evt_1",
  eventKind: "email.delivered",
  createdAt: noon,
  status: "pending",
  dueAt: noon - 1,
  worker: null,
  fencingToken: 0,
  attempts: 2,
  latestAttempts: [{ at: noon - 5, status: 500, error: null, durationMillis: 12 }],
  settledAt: null,
  ...change
})

/** Ids such as `del_01`, `del_02`, … whose text order is their number order. */
export const numbered = <const P extends string>(prefix: P, n: number): `${P}_${string}` =>
  `${prefix}_${String(n).padStart(4, "0")}`

export const idsOf = (records: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> =>
  records.map(({ id }) => id)

export const put = {
  project: (record: ProjectRecord, replaces: number | null = null): Change => ({
    _tag: "PutProject",
    project: record,
    replaces
  }),
  apiKey: (key: ApiKeyRecord, replaces: number | null = null): Change => ({ _tag: "PutApiKey", key, replaces }),
  domain: (domain: SenderDomainRecord, replaces: number | null = null): Change => ({
    _tag: "PutDomain",
    domain,
    replaces
  }),
  contact: (record: ContactRecord, replaces: number | null = null): Change => ({
    _tag: "PutContact",
    contact: record,
    replaces
  }),
  resource: (record: ResourceOf<"list">, replaces: number | null = null): Change => ({
    _tag: "PutResource",
    resource: record,
    replaces
  }),
  suppression: (record: SuppressionRecord, replaces: number | null = null): Change => ({
    _tag: "PutSuppression",
    suppression: record,
    replaces
  }),
  setting: (name: string, value = "1"): Change => ({ _tag: "PutSetting", name, value })
}

export const insert = {
  message: (record: Message): Change => ({ _tag: "InsertMessage", message: record }),
  delivery: (record: Delivery): Change => ({ _tag: "InsertDelivery", delivery: record }),
  attempt: (record: Attempt): Change => ({ _tag: "InsertAttempt", attempt: record }),
  eventDelivery: (record: EventDelivery): Change => ({ _tag: "InsertEventDelivery", eventDelivery: record }),
  event: (record: EventRecord): Change => ({ _tag: "AppendEvent", event: record })
}

/** Commits changes in the order that a commit requires. */
export const commit = (store: MailStoreShape, ...changes: ReadonlyArray<Change>) => store.commit(inCommitOrder(changes))

/** Returns the answer to one query. */
export const ask = <const Q extends Query>(store: MailStoreShape, query: Q) =>
  Effect.map(store.read([query]), ([answer]) => answer)

export const setting = (store: MailStoreShape, name: string) => ask(store, { _tag: "Setting", name })

export const counter = (store: MailStoreShape, name: CounterName, project = projectId) =>
  Effect.map(ask(store, { _tag: "Counters", projectId: project, names: [name] }), ([value]) => value!)

export const spend = (
  by: number,
  max: number | null = null,
  name: CounterName = "allowance",
  project = projectId
): Change => ({ _tag: "AddToCounter", projectId: project, name, by, max })

export const deliveryOf = (store: MailStoreShape, id: string) => ask(store, { _tag: "Delivery", projectId, id })

/** The newest deliveries, up to the limit. */
export const logPage = (store: MailStoreShape, filters: Partial<typeof noLogFilters> = {}, limit = 100) =>
  ask(store, {
    _tag: "LogPage",
    projectId,
    filters: { ...noLogFilters, ...filters },
    after: null,
    limit,
    scanLimit: 10_000
  })

const everyone = { after: null, skip: 0, limit: 100 } as const

/** The matching contacts and their number. Checks that the answer of an index agrees with a walk. */
export const contactPage = (
  store: MailStoreShape,
  filters: Partial<ContactFilters> = {},
  page: Partial<Pick<QueryOf<"ContactScan">, "after" | "skip" | "limit">> = {}
) =>
  Effect.gen(function* () {
    const all = { ...noContactFilters, ...filters }
    const { search, segment, emailStatus, listId } = all
    const { items, matches } = yield* contactScan(store, all, page)
    if (search === null && segment === null && (emailStatus === null || listId === null)) {
      const [indexed] = yield* store.read([
        { _tag: "ContactPage", projectId, emailStatus, listId, ...everyone, ...page }
      ])
      yield* same(`the page of ${JSON.stringify(filters)} by index`, indexed, items)
    }
    return { items, total: matches }
  })

/** One page of a walk over contacts; by default, all contacts. */
export const contactScan = (
  store: MailStoreShape,
  filters: Partial<ContactFilters> = {},
  page: Partial<Pick<QueryOf<"ContactScan">, "after" | "skip" | "limit" | "scanLimit">> = {}
) =>
  Effect.map(
    store.read([
      {
        _tag: "ContactScan",
        projectId,
        filters: { ...noContactFilters, ...filters },
        ...everyone,
        scanLimit: 1000,
        ...page
      }
    ]),
    ([piece]) => piece
  )
