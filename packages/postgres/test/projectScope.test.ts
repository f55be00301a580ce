/**
 * Every statement of a read names its project, and so does each part of the statement. The laws run all other statements; see `conformance.test.ts`.
 */
import type { Query, QueryOf, QueryTag } from "@mailkeep/core/adapter"
import { noContactFilters, noDomainFilters, noLogFilters, recordKinds } from "@mailkeep/core/adapter"
import { describe, expect, it } from "vitest"
import { migrations } from "../src/internal/migrations.ts"
import { readStatement } from "../src/internal/read/answerQueries.ts"
import { unscopedTables } from "./projectScope.ts"
import { tablesWithProject } from "./projectTables.ts"

const projectTables = tablesWithProject(migrations.map(({ sql }) => sql("mailkeep")))

const projectId = "prj_1" as QueryOf<"Contact">["projectId"]
const after = { createdAt: 1, id: "a" }
const page = { page: 1, limit: 10 }
const segment = { _tag: "OnList", listId: "lst_1" } as const
const log = { _tag: "LogPage", projectId, filters: noLogFilters, after: null, limit: 10, scanLimit: 100 } as const
const contacts = { _tag: "ContactPage", projectId, emailStatus: null, listId: null, after, skip: 0, limit: 10 } as const
const scan = {
  _tag: "ContactScan",
  projectId,
  filters: noContactFilters,
  after: null,
  skip: 0,
  limit: 10,
  scanLimit: 100
} as const

type OfProject = { [T in QueryTag]: QueryOf<T> extends { readonly projectId: string } ? T : never }[QueryTag]

/** The queries that read no record of a project, and the query whose keys contain the project. */
type WithoutProject = "Setting" | "Project" | "Projects" | "LeasesSetAfter" | "RecordsByKey"

/** Each query of the port that has a project, in each form that its statement can have. */
const queriesOfProject: { readonly [T in OfProject]: ReadonlyArray<QueryOf<T>> } = {
  ApiKey: [{ _tag: "ApiKey", projectId, id: "key_1" }],
  ApiKeys: [{ _tag: "ApiKeys", projectId }],
  Domain: [{ _tag: "Domain", projectId, domain: "a.example" }],
  DomainById: [{ _tag: "DomainById", projectId, id: "dom_1" }],
  DomainPage: [
    { _tag: "DomainPage", projectId, filters: noDomainFilters, page },
    { _tag: "DomainPage", projectId, filters: { status: "failed", search: "a", names: ["a.example"] }, page }
  ],
  Contact: [{ _tag: "Contact", projectId, id: "con_1" }],
  ContactsByAddress: [{ _tag: "ContactsByAddress", projectId, addresses: ["a@a.example"] }],
  ContactPage: [contacts, { ...contacts, emailStatus: "unsubscribed", after: null }, { ...contacts, listId: "lst_1" }],
  ContactScan: [
    { ...scan, after },
    { ...scan, filters: { ...noContactFilters, segment } },
    { ...scan, filters: { ...noContactFilters, search: "ada", segment, listId: "lst_1" } },
    { ...scan, filters: { ...noContactFilters, search: "ada", emailStatus: "subscribed" } },
    { ...scan, after, filters: { ...noContactFilters, search: "ada", listId: "lst_1" } }
  ],
  Resource: [{ _tag: "Resource", projectId, id: "lst_1" }],
  ResourceCount: [{ _tag: "ResourceCount", projectId, kind: "list", parent: "" }],
  ResourcePage: [{ _tag: "ResourcePage", projectId, kind: "list", parent: "", page }],
  ResourceNamed: [{ _tag: "ResourceNamed", projectId, kind: "list", parent: "", name: "a" }],
  Resources: [{ _tag: "Resources", projectId, kind: "list", parent: "", after, limit: 10 }],
  Suppressions: [{ _tag: "Suppressions", projectId, addressKeys: ["a"] }],
  SuppressionPage: [
    {
      _tag: "SuppressionPage",
      projectId,
      search: "a",
      addressPart: null,
      now: 1,
      after: "a",
      limit: 10,
      scanLimit: 100
    },
    {
      _tag: "SuppressionPage",
      projectId,
      search: null,
      addressPart: null,
      now: 1,
      after: null,
      limit: 10,
      scanLimit: 100
    }
  ],
  Counters: [{ _tag: "Counters", projectId, names: ["contacts"] }],
  Idempotency: [{ _tag: "Idempotency", projectId, key: "a" }],
  Message: [{ _tag: "Message", projectId, id: "msg_1" }],
  ContentChunk: [{ _tag: "ContentChunk", projectId, hash: "a", chunk: 0 }],
  Delivery: [{ _tag: "Delivery", projectId, id: "del_1" }],
  DeliveriesOfMessage: [{ _tag: "DeliveriesOfMessage", projectId, messageId: "msg_1" }],
  Attempts: [{ _tag: "Attempts", projectId, deliveryId: "del_1" }],
  LogPage: [
    log,
    { ...log, after, filters: { ...noLogFilters, search: "a", templateId: "tpl_1", status: "queued", source: "api" } },
    {
      ...log,
      filters: { ...noLogFilters, address: "a@a.example", contactId: "con_1", startDate: 1, endDate: 2 }
    }
  ],
  Events: [{ _tag: "Events", projectId, after: "evt_1", limit: 10 }],
  Event: [{ _tag: "Event", projectId, id: "evt_1" }],
  EventsOfDelivery: [{ _tag: "EventsOfDelivery", projectId, deliveryId: "del_1" }],
  EventDelivery: [{ _tag: "EventDelivery", projectId, id: "evd_1" }],
  EventDeliveryPage: [{ _tag: "EventDeliveryPage", projectId, subscriber: "whk_1", after, limit: 10 }],
  UsageAudit: [{ _tag: "UsageAudit", projectId }]
}

/** The queries that read all projects, each with the reason. */
const queriesOfAllProjects: {
  readonly [T in Exclude<QueryTag, OfProject | WithoutProject>]: readonly [query: QueryOf<T>, why: string]
} = {
  ApiKeyByPublicId: [
    { _tag: "ApiKeyByPublicId", publicId: "a" },
    "A request proves its project by the public id of its API key."
  ],
  DeliveryById: [
    { _tag: "DeliveryById", id: "del_1" },
    "A return path and an unsubscribe link name only the delivery."
  ],
  MessagesBefore: [
    { _tag: "MessagesBefore", before: 1, after: null, limit: 10 },
    "A worker deletes the bodies of old messages of all projects."
  ],
  DomainsDue: [{ _tag: "DomainsDue", now: 1, limit: 10 }, "A worker checks the domains of all projects."],
  UndistributedEvents: [
    { _tag: "UndistributedEvents", limit: 10 },
    "A worker distributes the events of all projects, oldest first."
  ],
  PendingEventDeliveries: [{ _tag: "PendingEventDeliveries", now: 1 }, "A worker sends the events of all projects."],
  NextDue: [{ _tag: "NextDue", worker: "a", now: 1 }, "The dispatcher sends the mail of all projects."],
  Backlog: [{ _tag: "Backlog", now: 1 }, "The operator sees the work of all projects."],
  WorkHealth: [
    { _tag: "WorkHealth", dueBefore: 1, leaseEndedBefore: 1 },
    "The operator sees the work of all projects."
  ],
  Records: [
    { _tag: "Records", kind: "Message", projectId: null, after: null, limit: 10 },
    "A move between stores reads all projects."
  ]
}

/** The tables of records that belong to a project, by kind. */
const recordsOfProject = recordKinds.filter((kind) => !["Setting", "Lease", "Project"].includes(kind))

const unscopedIn = async (query: Query) => unscopedTables(readStatement("mailkeep", [query]).sql, projectTables)

describe("the project in the statements of a read", () => {
  it("is in each table of each query of a project", async () => {
    for (const query of Object.values(queriesOfProject).flat())
      expect(await unscopedIn(query), JSON.stringify(query)).toEqual([])
  })

  it("is in the query of the records of one project, and of records by their keys", async () => {
    for (const kind of recordsOfProject) {
      const key = [projectId, "id", ...(kind === "Attempt" ? [1] : [])]
      expect(await unscopedIn({ _tag: "Records", kind, projectId, after: key, limit: 9 }), kind).toEqual([])
      expect(await unscopedIn({ _tag: "RecordsByKey", kind, keys: [key] }), kind).toEqual([])
    }
  })

  it("is missing in the queries of all projects", async () => {
    for (const [query, why] of Object.values(queriesOfAllProjects)) expect(await unscopedIn(query), why).not.toEqual([])
  })

  it("finds each statement that does not compare the project, compares it with itself, or only in one of two cases", async () => {
    const found = (sql: string) => unscopedTables(sql, projectTables)
    const missing = [{ table: "contacts", comparedColumns: ["id"] }]
    expect(await found("SELECT one.id FROM mailkeep.contacts AS one WHERE one.id = $1")).toEqual(missing)
    expect(
      await found("SELECT id FROM mailkeep.contacts AS one WHERE one.id = $1 AND one.project_id = one.project_id")
    ).toEqual(missing)
    expect(
      await found("DELETE FROM mailkeep.contacts AS one WHERE one.id = $1 AND (one.project_id = $2 OR one.email = $3)")
    ).toEqual(missing)
    expect(
      await found(
        "SELECT 1 WHERE EXISTS (SELECT FROM mailkeep.contacts AS one JOIN mailkeep.events AS two ON two.project_id = one.project_id WHERE one.id = $1)"
      )
    ).toEqual([...missing, { table: "events", comparedColumns: [] }])
    expect(await found("SELECT 1 UNION ALL SELECT 2 FROM mailkeep.contacts AS one WHERE one.id = $1")).toEqual(missing)
    expect(await found("SELECT id FROM mailkeep.contacts WHERE id = $1 AND project_id = ANY ($2::text[])")).toEqual([])
  })
})
