/**
 * Lookups by one column of a key. Those of one kind and one project become one part of the statement, however many they are.
 */
import type { AnswerOf, Query, QueryOf } from "@mailkeep/core/adapter"
import type { RecordTable } from "../recordTable.ts"
import { columnOf } from "../recordTable.ts"
import { failUnless } from "../sqlStates.ts"
import {
  apiKeys,
  contacts,
  counters,
  deliveries,
  domains,
  eventDeliveries,
  events,
  idempotency,
  messages,
  projects,
  resources,
  suppressions
} from "../tables.ts"
import type { Building, Reading } from "./reading.ts"
import { eachOne, rowsOf, rowsSql, select } from "./reading.ts"

/** Finds the record with a value in the column. */
type Find<R> = (value: string) => R | undefined

/** How lookups of one kind are answered. */
interface Lookup<Q, A, R> {
  readonly table: RecordTable<R>
  /** The field of the record with which it is found. */
  readonly field: keyof R & string
  /** The values that a query looks for. */
  readonly valuesOf: (query: Q) => ReadonlyArray<string>
  readonly answer: (query: Q, find: Find<R>) => A
}

/** A query for the record with one value. */
const byValue = <F extends string, R>(
  table: RecordTable<R>,
  field: F & keyof R & string
): Lookup<Readonly<Record<F, string>>, R | null, R> => ({
  table,
  field,
  valuesOf: (query) => [query[field]],
  answer: (query, find) => find(query[field]) ?? null
})

/** A query for the records with many values, in the order of the values. */
const byValues = <Q, A, R>(
  table: RecordTable<R>,
  field: keyof R & string,
  valuesOf: (query: Q) => ReadonlyArray<string>,
  answerOf: (record: R | undefined) => A
): Lookup<Q, ReadonlyArray<A>, R> => ({
  table,
  field,
  valuesOf,
  answer: (query, find) => valuesOf(query).map((value) => answerOf(find(value)))
})

const orNull = <R>(record: R | undefined): R | null => record ?? null

const lookups = {
  ApiKey: byValue(apiKeys, "id"),
  Contact: byValue(contacts, "id"),
  ContactsByAddress: byValues(contacts, "address", ({ addresses }: QueryOf<"ContactsByAddress">) => addresses, orNull),
  Counters: byValues(
    counters,
    "name",
    ({ names }: QueryOf<"Counters">) => names,
    (counter) => counter?.value ?? 0
  ),
  Delivery: byValue(deliveries, "id"),
  DeliveryById: byValue(deliveries, "id"),
  Domain: byValue(domains, "domain"),
  DomainById: byValue(domains, "id"),
  Event: byValue(events, "id"),
  EventDelivery: byValue(eventDeliveries, "id"),
  Idempotency: byValue(idempotency, "key"),
  Message: byValue(messages, "id"),
  Project: byValue(projects, "id"),
  Resource: byValue(resources, "id"),
  Suppressions: byValues(suppressions, "addressKey", ({ addressKeys }: QueryOf<"Suppressions">) => addressKeys, orNull)
} satisfies { readonly [T in Query["_tag"]]?: Pick<Lookup<QueryOf<T>, AnswerOf<T>, never>, "valuesOf" | "answer"> }

export type LookupTag = keyof typeof lookups
export type LookupQuery = { [T in LookupTag]: QueryOf<T> }[LookupTag]

export const isLookup = (query: Query): query is LookupQuery => query._tag in lookups

const lookupOf = ({ _tag }: LookupQuery) => lookups[_tag] as unknown as Lookup<LookupQuery, unknown, object>

/** Lookups with the same text can be one part of a statement. */
export const lookupGroup = (query: LookupQuery): string =>
  `${query._tag} ${"projectId" in query ? query.projectId : ""}`

/**
 * The same messages, unless their bodies have more bytes together: then the statement fails. The server knows the length of a stored text without
 * reading the text.
 */
const withinBytes = (found: string, bodyBytesMax: number): string => {
  const bytes = `coalesce(octet_length(found.html), 0) + coalesce(octet_length(found.text), 0)`
  return `SELECT ${messages.sources("sized")} FROM (SELECT found.*, sum(${bytes}) OVER () AS bytes FROM (${found}) AS found) AS sized WHERE ${failUnless(`bytes <= ${bodyBytesMax}`)} = 1`
}

/** Answers the lookups of one group, in their order. */
export const lookupReading = (
  building: Building,
  group: readonly [LookupQuery, ...ReadonlyArray<LookupQuery>],
  bodyBytesMax?: number
): Reading<ReadonlyArray<unknown>> => {
  const [first] = group
  const { table, field, valuesOf, answer } = lookupOf(first)
  const project = "projectId" in first ? `one.project_id = ${building.parameter(first.projectId)} AND ` : ""
  const values = building.parameter([...new Set(group.flatMap(valuesOf))])
  const one = select(building, table, `WHERE ${project}one.${columnOf(field)} = wanted.value`)
  const found = `SELECT found.* FROM unnest(${values}::text[]) AS wanted (value) ${eachOne(one, "found")}`
  const isBounded = bodyBytesMax !== undefined && first._tag === "Message"
  return {
    sql: rowsSql(isBounded ? withinBytes(found, bodyBytesMax) : found),
    read: (value) => {
      const records = new Map(rowsOf<object>(value).map((record) => [record[field as never], record]))
      return group.map((query) => answer(query, (one) => records.get(one as never)))
    }
  }
}
