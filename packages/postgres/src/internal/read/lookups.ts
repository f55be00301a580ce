/**
 * Lookups by id. Those of one kind and one project become one part of the statement, however many they are.
 */
import type { Query, QueryOf } from "@mailkeep/core/adapter"
import {
  apiKeys,
  contacts,
  deliveries,
  domains,
  eventDeliveries,
  events,
  messages,
  projects,
  resources
} from "../tables.ts"
import type { Building, Reading } from "./reading.ts"
import { rowsOf, rowsSql, select } from "./reading.ts"

/** The table of each lookup by id. */
const tables = {
  ApiKey: apiKeys,
  Contact: contacts,
  Delivery: deliveries,
  DeliveryById: deliveries,
  DomainById: domains,
  Event: events,
  EventDelivery: eventDeliveries,
  Message: messages,
  Project: projects,
  Resource: resources
} as const

export type LookupTag = keyof typeof tables
type Lookup = { [T in LookupTag]: QueryOf<T> }[LookupTag]

export const isLookup = (query: Query): query is Lookup => query._tag in tables

/** Lookups with the same text can be one part of a statement. */
export const lookupGroup = (query: Lookup): string => `${query._tag} ${"projectId" in query ? query.projectId : ""}`

/** Reads the records of lookups of one group, by id. */
export const lookupReading = (
  building: Building,
  group: readonly [Lookup, ...ReadonlyArray<Lookup>]
): Reading<ReadonlyMap<string, unknown>> => {
  const [first] = group
  const project = "projectId" in first ? `one.project_id = ${building.parameter(first.projectId)} AND ` : ""
  const where = `WHERE ${project}one.id = ANY (${building.parameter(group.map(({ id }) => id))}::text[])`
  return {
    // The tables have different records, and only the id is read here.
    sql: rowsSql(select(building, tables[first._tag] as typeof contacts, where)),
    read: (value) => new Map(rowsOf<{ readonly id: string }>(value).map((record) => [record.id, record]))
  }
}
