/**
 * The mutants that no law can catch, each with the reason. A full run fails if a law catches one of them, or if a mutant with
 * the key does not exist.
 */

/** `equivalent`: every answer of the store is the same. `unseen`: the difference is outside of what a law can observe. */
export interface Explained {
  readonly key: string
  readonly kind: "equivalent" | "unseen"
  readonly why: string
}

interface Reason {
  readonly kind: Explained["kind"]
  readonly why: string
  /** The keys of mutants, as a run prints them. */
  readonly keys: ReadonlyArray<string>
}

const reasons: ReadonlyArray<Reason> = [
  {
    kind: "equivalent",
    why: "At most one record matches.",
    keys: [
      "packages/memory/src/internal/answerQuery.ts: method: ApiKeyByPublicId: (state, { publicId }) => all(state.apiKeys).find((key) => key.publicId === publicId) ?? null, => ApiKeyByPublicId: (state, { publicId }) => all(state.apiKeys).findLast((key) => key.publicId === publicId) ?? null,",
      "packages/memory/src/internal/answerQuery.ts: method: DomainOfId: (state, { projectId, id }) => ofProject(state.domains, projectId).find((one) => one.id === id) ?? null, => DomainOfId: (state, { projectId, id }) => ofProject(state.domains, projectId).findLast((one) => one.id === id) ?? null,",
      "packages/memory/src/internal/applyChange.ts: method: const existing = attempts.find((attempt) => attempt.number === number) => const existing = attempts.findLast((attempt) => attempt.number === number)",
      "packages/sqlite/src/internal/answerQuery.ts: method: const count = (status: string) => rows.find((row) => row.status === status)?.count ?? 0 => const count = (status: string) => rows.findLast((row) => row.status === status)?.count ?? 0"
    ]
  },
  {
    kind: "equivalent",
    why: "No record has the key null, as none has the empty key.",
    keys: [
      'packages/memory/src/internal/answerQuery.ts: left side alone: ResourceNamed: (state, query) => lookUp(state.resources, lookUp(state.resourcesByName, nameKey(query)) ?? ""), => ResourceNamed: (state, query) => lookUp(state.resources, (lookUp(state.resourcesByName, nameKey(query)))),',
      'packages/memory/src/internal/answerQuery.ts: left side alone: lookUp(state.contacts, lookUp(state.contactsByAddress, within(projectId, address)) ?? "") => lookUp(state.contacts, (lookUp(state.contactsByAddress, within(projectId, address))))',
      'packages/memory/src/internal/applyChange.ts: left side alone: return lookUp(state.contacts, lookUp(state.contactsByAddress, within(ref.projectId, ref.address)) ?? "") => return lookUp(state.contacts, (lookUp(state.contactsByAddress, within(ref.projectId, ref.address))))'
    ]
  },
  {
    kind: "equivalent",
    why: "No lease has the key null, and a missing lease is not later than now.",
    keys: [
      "packages/memory/src/internal/answerQuery.ts: left side alone: all(state.eventDeliveries).filter(({ worker }) => worker === null || (lookUp(state.leases, worker) ?? now) <= now) => all(state.eventDeliveries).filter(({ worker }) => worker === null || ((lookUp(state.leases, worker))) <= now)",
      "packages/memory/src/internal/answerQuery.ts: right side alone: all(state.eventDeliveries).filter(({ worker }) => worker === null || (lookUp(state.leases, worker) ?? now) <= now) => all(state.eventDeliveries).filter(({ worker }) => ((lookUp(state.leases, worker) ?? now) <= now))",
      "packages/memory/src/internal/claimDeliveries.ts: left side alone: const isFree = (holder: string | null) => holder === null || (lookUp(state.leases, holder) ?? now) <= now => const isFree = (holder: string | null) => holder === null || ((lookUp(state.leases, holder))) <= now",
      "packages/memory/src/internal/claimDeliveries.ts: right side alone: const isFree = (holder: string | null) => holder === null || (lookUp(state.leases, holder) ?? now) <= now => const isFree = (holder: string | null) => ((lookUp(state.leases, holder) ?? now) <= now)"
    ]
  },
  {
    kind: "equivalent",
    why: "No query asks for the name null.",
    keys: [
      "packages/memory/src/internal/applyChange.ts: always the second: const holder = resource.name === null ? null : lookUp(state.resourcesByName, key) => const holder = (lookUp(state.resourcesByName, key))",
      "packages/memory/src/internal/applyChange.ts: always the second: resourcesByName: resource.name === null ? freed : HashMap.set(freed, key, resource.id) => resourcesByName: (HashMap.set(freed, key, resource.id))"
    ]
  },
  {
    kind: "equivalent",
    why: "A change of an existing record names a revision, so the guard of a missing record is never undefined.",
    keys: [
      'packages/memory/src/internal/applyChange.ts: left side alone: if (existing === null || guard !== undefined) return refused(guard ?? "NotFound") => if (existing === null || guard !== undefined) return refused((guard))',
      'packages/memory/src/internal/applyChange.ts: left side alone: if (existing === null || guard !== undefined) return refused(guard ?? "NotFound") => if (existing === null || guard !== undefined) return refused((guard)) (2)',
      'packages/memory/src/internal/applyChange.ts: reason: if (existing === null || guard !== undefined) return refused(guard ?? "NotFound") => if (existing === null || guard !== undefined) return refused(guard ?? "Stale")',
      'packages/memory/src/internal/applyChange.ts: reason: if (existing === null || guard !== undefined) return refused(guard ?? "NotFound") => if (existing === null || guard !== undefined) return refused(guard ?? "Stale") (2)',
      'packages/memory/src/internal/applyChange.ts: right side alone: if (existing === null || guard !== undefined) return refused(guard ?? "NotFound") => if ((guard !== undefined)) return refused(guard ?? "NotFound")',
      'packages/memory/src/internal/applyChange.ts: right side alone: if (existing === null || guard !== undefined) return refused(guard ?? "NotFound") => if ((guard !== undefined)) return refused(guard ?? "NotFound") (2)',
      'packages/sqlite/src/internal/contactSearch.ts: left side alone: if (existing === null || guard !== undefined) return guard ?? "NotFound" => if (existing === null || guard !== undefined) return (guard)',
      'packages/sqlite/src/internal/contactSearch.ts: reason: if (existing === null || guard !== undefined) return guard ?? "NotFound" => if (existing === null || guard !== undefined) return guard ?? "Stale"',
      "packages/sqlite/src/internal/contactSearch.ts: right side alone: if (existing === null || guard !== undefined) return guard => if ((guard !== undefined)) return guard",
      'packages/sqlite/src/internal/contactSearch.ts: right side alone: if (existing === null || guard !== undefined) return guard ?? "NotFound" => if ((guard !== undefined)) return guard ?? "NotFound"'
    ]
  },
  {
    kind: "equivalent",
    why: "The sum of null and a number is the number.",
    keys: [
      "packages/memory/src/internal/applyChange.ts: left side alone: const sum = (lookUp(state.counters, key) ?? 0) + by => const sum = ((lookUp(state.counters, key))) + by"
    ]
  },
  {
    kind: "equivalent",
    why: "Only the keys of this map are read.",
    keys: [
      "packages/memory/src/internal/applyChange.ts: value: undistributed: HashMap.set(state.undistributed, event.id, true) => undistributed: HashMap.set(state.undistributed, event.id, false)",
      "packages/sqlite/src/internal/schema/events.ts: sql: condition removed: CREATE INDEX mailkeep_events_undistributed ON mailkeep_events (id) WHERE distributed = 0; => CREATE INDEX mailkeep_events_undistributed ON mailkeep_events (id) WHERE (distributed = 0 OR 1);"
    ]
  },
  {
    kind: "equivalent",
    why: "Two compared records never have the same key, and a sort asks only whether a result is negative.",
    keys: [
      "packages/core/src/domain/store/Paging.ts: always the second: b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0) => b.createdAt - a.createdAt || ((a.id > b.id ? -1 : 0))",
      "packages/core/src/domain/store/Paging.ts: operator: b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0) => b.createdAt - a.createdAt || (a.id <= b.id ? 1 : a.id > b.id ? -1 : 0)",
      "packages/core/src/domain/store/Paging.ts: value: b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0) => b.createdAt - a.createdAt || (a.id < b.id ? 0 : a.id > b.id ? -1 : 0)",
      "packages/core/src/domain/store/Paging.ts: value: b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 1)",
      "packages/core/src/domain/store/queryReference.ts: operator: .toSorted((a, b) => (a.subscriber < b.subscriber ? -1 : 1)) => .toSorted((a, b) => (a.subscriber <= b.subscriber ? -1 : 1))",
      "packages/core/src/domain/store/queryReference.ts: operator: counters: counters.toSorted((a, b) => (a.name < b.name ? -1 : 1)), => counters: counters.toSorted((a, b) => (a.name <= b.name ? -1 : 1)),",
      "packages/core/src/domain/store/queryReference.ts: value: .toSorted((a, b) => (a.subscriber < b.subscriber ? -1 : 1)) => .toSorted((a, b) => (a.subscriber < b.subscriber ? -1 : 0))",
      "packages/core/src/domain/store/queryReference.ts: value: counters: counters.toSorted((a, b) => (a.name < b.name ? -1 : 1)), => counters: counters.toSorted((a, b) => (a.name < b.name ? -1 : 0)),",
      "packages/memory/src/internal/claimDeliveries.ts: always the second: return index < 0 ? 0 : a[index]! < b[index]! ? -1 : 1 => return (a[index]! < b[index]! ? -1 : 1)",
      "packages/memory/src/internal/claimDeliveries.ts: operator: return index < 0 ? 0 : a[index]! < b[index]! ? -1 : 1 => return index < 0 ? 0 : a[index]! <= b[index]! ? -1 : 1",
      "packages/memory/src/internal/claimDeliveries.ts: value: return index < 0 ? 0 : a[index]! < b[index]! ? -1 : 1 => return index < 0 ? 0 : a[index]! < b[index]! ? -1 : 0",
      "packages/memory/src/internal/claimDeliveries.ts: value: return index < 0 ? 0 : a[index]! < b[index]! ? -1 : 1 => return index < 0 ? 1 : a[index]! < b[index]! ? -1 : 1"
    ]
  },
  {
    kind: "equivalent",
    why: "No filter asks for a template that is undefined, and a missing message has no subject.",
    keys: [
      "packages/core/src/domain/store/Paging.ts: part removed: export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, templateId: null, startDate: null, endDate: … => export const noLogFilters: LogFilters = { source: null, address: null, search: null, contactId: null, templateId: null, startDate: null, endDate: null }",
      "packages/core/src/domain/store/Paging.ts: part removed: export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, templateId: null, startDate: null, endDate: … => export const noLogFilters: LogFilters = { status: null, address: null, search: null, contactId: null, templateId: null, startDate: null, endDate: null }",
      "packages/core/src/domain/store/Paging.ts: part removed: export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, templateId: null, startDate: null, endDate: … => export const noLogFilters: LogFilters = { status: null, source: null, address: null, contactId: null, templateId: null, startDate: null, endDate: null }",
      "packages/core/src/domain/store/Paging.ts: part removed: export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, templateId: null, startDate: null, endDate: … => export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, startDate: null, endDate: null }",
      "packages/core/src/domain/store/Paging.ts: part removed: export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, templateId: null, startDate: null, endDate: … => export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, templateId: null, endDate: null }",
      "packages/core/src/domain/store/Paging.ts: part removed: export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, templateId: null, startDate: null, endDate: … => export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, templateId: null, startDate: null }",
      "packages/core/src/domain/store/Paging.ts: part removed: export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, templateId: null, startDate: null, endDate: … => export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, templateId: null, startDate: null, endDate: null }",
      "packages/core/src/domain/store/Paging.ts: part removed: export const noLogFilters: LogFilters = { status: null, source: null, address: null, search: null, contactId: null, templateId: null, startDate: null, endDate: … => export const noLogFilters: LogFilters = { status: null, source: null, search: null, contactId: null, templateId: null, startDate: null, endDate: null }",
      'packages/core/src/domain/store/queryReference.ts: part removed: const logged = ({ messageId }: Delivery) => messageOf(messageId) ?? { subject: "", templateId: null } => const logged = ({ messageId }: Delivery) => messageOf(messageId) ?? { subject: "" }',
      'packages/sqlite/src/internal/answerQuery.ts: part removed: (messages.get(messageId) as LoggedMessage | undefined) ?? { subject: "", templateId: null } => (messages.get(messageId) as LoggedMessage | undefined) ?? { subject: "" }'
    ]
  },
  {
    kind: "equivalent",
    why: "A store may examine more contacts than a page asks for, so where a scan ends is its own choice.",
    keys: [
      "packages/core/src/domain/store/queryReference.ts: call removed: const part = candidates.slice(0, scanLimit) => const part = candidates",
      "packages/sqlite/src/internal/contactQueries.ts: always the second: for (const row of connection.statement(select).iterate(...values, bounded ? scanLimit + 1 : -1)) { => for (const row of connection.statement(select).iterate(...values, (-1))) {",
      "packages/sqlite/src/internal/contactQueries.ts: part removed: return { rows: byText(part), rest: { ...rest, search: null, listId }, bounded: false } => return { rows: byText(part), rest: { ...rest, search: null, listId } }",
      "packages/sqlite/src/internal/contactQueries.ts: part removed: return { rows: listId === null ? byStatus(emailStatus) : byList(listId), rest, bounded: true } => return { rows: listId === null ? byStatus(emailStatus) : byList(listId), rest }",
      "packages/sqlite/src/internal/contactQueries.ts: right side alone: if (bounded && looked++ === scanLimit) => if ((looked++ === scanLimit))",
      "packages/sqlite/src/internal/contactQueries.ts: value: return { rows: byText(part), rest: { ...rest, search: null, listId }, bounded: false } => return { rows: byText(part), rest: { ...rest, search: null, listId }, bounded: true }",
      "packages/sqlite/src/internal/contactQueries.ts: value: return { rows: listId === null ? byStatus(emailStatus) : byList(listId), rest, bounded: true } => return { rows: listId === null ? byStatus(emailStatus) : byList(listId), rest, bounded: false }"
    ]
  },
  {
    kind: "equivalent",
    why: "Every number is at least null.",
    keys: [
      "packages/core/src/domain/store/Paging.ts: right side alone: (startDate === null || delivery.createdAt >= startDate) && => ((delivery.createdAt >= startDate)) &&"
    ]
  },
  {
    kind: "unseen",
    why: "A list for the validation of requests. A store does not read it.",
    keys: [
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: date: ["before", "after", "set", "unset"] => date: ["after", "set", "unset"]',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: date: ["before", "after", "set", "unset"] => date: ["before", "after", "set"]',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: date: ["before", "after", "set", "unset"] => date: ["before", "after", "unset"]',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: date: ["before", "after", "set", "unset"] => date: ["before", "set", "unset"]',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: export const segmentOps = { text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], number: ["eq", "ne", "lt", "lte", "gt", "gte", "in… => export const segmentOps = { number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"], date: ["before", "after", "set", "unset"] } as const',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: export const segmentOps = { text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], number: ["eq", "ne", "lt", "lte", "gt", "gte", "in… => export const segmentOps = { text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], date: ["before", "after", "set", "unset"] } as con…',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: export const segmentOps = { text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], number: ["eq", "ne", "lt", "lte", "gt", "gte", "in… => export const segmentOps = { text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], number: ["eq", "ne", "lt", "lte", "gt", "gte", "in…',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"], => number: ["eq", "lt", "lte", "gt", "gte", "in", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"], => number: ["eq", "ne", "lt", "gt", "gte", "in", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"], => number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"], => number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"], => number: ["eq", "ne", "lt", "lte", "gt", "gte", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"], => number: ["eq", "ne", "lt", "lte", "gt", "in", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"], => number: ["eq", "ne", "lt", "lte", "gte", "in", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"], => number: ["eq", "ne", "lte", "gt", "gte", "in", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: number: ["eq", "ne", "lt", "lte", "gt", "gte", "in", "set", "unset"], => number: ["ne", "lt", "lte", "gt", "gte", "in", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], => text: ["eq", "contains", "starts_with", "ends_with", "in", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], => text: ["eq", "ne", "contains", "ends_with", "in", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], => text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], => text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], => text: ["eq", "ne", "contains", "starts_with", "ends_with", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], => text: ["eq", "ne", "contains", "starts_with", "in", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], => text: ["eq", "ne", "starts_with", "ends_with", "in", "set", "unset"],',
      'packages/core/src/domain/contact/ContactPredicate.ts: part removed: text: ["eq", "ne", "contains", "starts_with", "ends_with", "in", "set", "unset"], => text: ["ne", "contains", "starts_with", "ends_with", "in", "set", "unset"],'
    ]
  },
  {
    kind: "unseen",
    why: "A constant that the services use. A store does not read it.",
    keys: [
      "packages/core/src/domain/contact/ContactPredicate.ts: part removed: export const noContactFilters: ContactFilters = { search: null, emailStatus: null, listId: null, segment: null } => export const noContactFilters: ContactFilters = { search: null, emailStatus: null, segment: null }",
      "packages/core/src/domain/contact/ContactPredicate.ts: part removed: export const noContactFilters: ContactFilters = { search: null, emailStatus: null, listId: null, segment: null } => export const noContactFilters: ContactFilters = { search: null, listId: null, segment: null }"
    ]
  },
  {
    kind: "equivalent",
    why: "A missing value is not a number and is none of the choices, and a property never has an empty number or date.",
    keys: [
      'packages/core/src/domain/contact/ContactPredicate.ts: condition removed: if (value === null || (kind === "text" && value === "")) return null => if (value === null || (true && value === "")) return null',
      "packages/core/src/domain/contact/ContactPredicate.ts: condition removed: return (left) => left !== null && choices.has(left) => return (left) => true && choices.has(left)",
      'packages/core/src/domain/contact/ContactPredicate.ts: right side alone: if (value === null || (kind === "text" && value === "")) return null => if (((kind === "text" && value === ""))) return null',
      'packages/core/src/domain/contact/ContactPredicate.ts: right side alone: if (value === null || (kind === "text" && value === "")) return null => if (value === null || ((value === ""))) return null',
      'packages/core/src/domain/contact/ContactPredicate.ts: right side alone: if (value === null || typeof value === "number") return value => if ((typeof value === "number")) return value',
      "packages/core/src/domain/contact/ContactPredicate.ts: right side alone: return (left) => left !== null && choices.has(left) => return (left) => (choices.has(left))"
    ]
  },
  {
    kind: "equivalent",
    why: "SQLite reads the rows in this order anyway, from the primary key or the index of the condition.",
    keys: [
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: "INDEXED BY mailkeep_domains_due WHERE next_check_at <= ? ORDER BY next_check_at, id LIMIT ?", => "INDEXED BY mailkeep_domains_due WHERE next_check_at <= ? ORDER BY next_check_at LIMIT ?",',
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: "INDEXED BY mailkeep_events_undistributed WHERE distributed = 0 ORDER BY id LIMIT ?", => "INDEXED BY mailkeep_events_undistributed WHERE distributed = 0 LIMIT ?",',
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: "INDEXED BY mailkeep_suppressions_by_address WHERE project_id = ? AND address IS NOT NULL AND address > ? ORDER BY address LIMIT ?" => "INDEXED BY mailkeep_suppressions_by_address WHERE project_id = ? AND address IS NOT NULL AND address > ? LIMIT ?"',
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: "SELECT due_at FROM mailkeep_deliveries WHERE status = ? AND due_at IS NOT NULL AND worker IS NULL ORDER BY due_at LIMIT 1" => "SELECT due_at FROM mailkeep_deliveries WHERE status = ? AND due_at IS NOT NULL AND worker IS NULL LIMIT 1"',
      "packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: ORDER BY created_at DESC, id DESC LIMIT ?` => ORDER BY created_at DESC LIMIT ?`",
      "packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: ORDER BY due_at LIMIT 1 => LIMIT 1",
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: Projects: (connection) => findAll(connection, projects, "ORDER BY id"), => Projects: (connection) => findAll(connection, projects, ""),',
      "packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: SELECT subscriber, dueAt FROM first WHERE dueAt IS NOT NULL ORDER BY subscriber` => SELECT subscriber, dueAt FROM first WHERE dueAt IS NOT NULL `",
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: `WHERE project_id = ? AND kind = ? AND parent = ? ${after === null ? "" : "AND (created_at, id) < (?, ?)"} ORDER BY created_at DESC, id DESC LIMIT ?`, => `WHERE project_id = ? AND kind = ? AND parent = ? ${after === null ? "" : "AND (created_at, id) < (?, ?)"} ORDER BY created_at DESC LIMIT ?`,',
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: `WHERE subscriber = ? AND project_id = ? ${after === null ? "" : "AND (created_at, id) < (?, ?)"} ORDER BY created_at DESC, id DESC LIMIT ?`, => `WHERE subscriber = ? AND project_id = ? ${after === null ? "" : "AND (created_at, id) < (?, ?)"} ORDER BY created_at DESC LIMIT ?`,',
      "packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: const order = `WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?` => const order = `WHERE ${where} ORDER BY created_at DESC LIMIT ? OFFSET ?`",
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: counters: findAll(connection, counters, "WHERE project_id = ? ORDER BY name", projectId).map( => counters: findAll(connection, counters, "WHERE project_id = ? ", projectId).map(',
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: findAll(connection, apiKeys, "WHERE project_id = ? ORDER BY created_at, id", projectId), => findAll(connection, apiKeys, "WHERE project_id = ? ORDER BY created_at", projectId),',
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: findAll(connection, attempts, "WHERE delivery_id = ? ORDER BY number", deliveryId), => findAll(connection, attempts, "WHERE delivery_id = ? ", deliveryId),',
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: findAll(connection, deliveries, "WHERE message_id = ? AND project_id = ? ORDER BY id", messageId, projectId), => findAll(connection, deliveries, "WHERE message_id = ? AND project_id = ? ", messageId, projectId),',
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: findAll(connection, events, "WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?", projectId, after ?? "", limit), => findAll(connection, events, "WHERE project_id = ? AND id > ? LIMIT ?", projectId, after ?? "", limit),',
      'packages/sqlite/src/internal/claimDeliveries.ts: sql: order term removed: "DELETE FROM mailkeep_event_deliveries WHERE id IN (SELECT id FROM mailkeep_event_deliveries INDEXED BY mailkeep_event_deliveries_settled WHERE settled_at < ? O… => "DELETE FROM mailkeep_event_deliveries WHERE id IN (SELECT id FROM mailkeep_event_deliveries INDEXED BY mailkeep_event_deliveries_settled WHERE settled_at < ? O… (2)',
      'packages/sqlite/src/internal/claimDeliveries.ts: sql: order term removed: "DELETE FROM mailkeep_events WHERE id IN (SELECT id FROM mailkeep_events WHERE occurred_at < ? ORDER BY occurred_at, id LIMIT ?)", => "DELETE FROM mailkeep_events WHERE id IN (SELECT id FROM mailkeep_events WHERE occurred_at < ? ORDER BY occurred_at LIMIT ?)",',
      'packages/sqlite/src/internal/claimDeliveries.ts: sql: order term removed: "DELETE FROM mailkeep_idempotency WHERE (project_id, key) IN (SELECT project_id, key FROM mailkeep_idempotency WHERE expires_at < ? ORDER BY expires_at, project… => "DELETE FROM mailkeep_idempotency WHERE (project_id, key) IN (SELECT project_id, key FROM mailkeep_idempotency WHERE expires_at < ? ORDER BY expires_at, project…',
      "packages/sqlite/src/internal/claimDeliveries.ts: sql: order term removed: ORDER BY due_at, id LIMIT ? => ORDER BY due_at LIMIT ?",
      "packages/sqlite/src/internal/claimDeliveries.ts: sql: order term removed: ORDER BY lease_until, worker LIMIT ?)` => ORDER BY lease_until LIMIT ?)`"
    ]
  },
  {
    kind: "equivalent",
    why: "The statement runs for every list of the contact, and all its entries have the same instant.",
    keys: [
      'packages/sqlite/src/internal/contactSearch.ts: sql: case ignored: .statement("DELETE FROM mailkeep_contacts_on_lists WHERE list_id = ? AND created_at = ? AND contact_id = ?") => .statement("DELETE FROM mailkeep_contacts_on_lists WHERE list_id = ? COLLATE NOCASE AND created_at = ? AND contact_id = ?")',
      'packages/sqlite/src/internal/contactSearch.ts: sql: condition removed: .statement("DELETE FROM mailkeep_contacts_on_lists WHERE list_id = ? AND created_at = ? AND contact_id = ?") => .statement("DELETE FROM mailkeep_contacts_on_lists WHERE (list_id = ? OR 1) AND created_at = ? AND contact_id = ?")',
      'packages/sqlite/src/internal/contactSearch.ts: sql: condition removed: .statement("DELETE FROM mailkeep_contacts_on_lists WHERE list_id = ? AND created_at = ? AND contact_id = ?") => .statement("DELETE FROM mailkeep_contacts_on_lists WHERE list_id = ? AND (created_at = ? OR 1) AND contact_id = ?")'
    ]
  },
  {
    kind: "equivalent",
    why: "The address is checked only when it changes, so the contact itself does not have it.",
    keys: [
      'packages/sqlite/src/internal/contactSearch.ts: sql: condition removed: .statement("SELECT 1 FROM mailkeep_contacts WHERE project_id = ? AND address = ? AND id <> ?") => .statement("SELECT 1 FROM mailkeep_contacts WHERE project_id = ? AND address = ? AND (id <> ? OR 1)")'
    ]
  },
  {
    kind: "equivalent",
    why: "The check of an address that did not change finds no other contact, and only takes time.",
    keys: [
      "packages/sqlite/src/internal/contactSearch.ts: condition removed: const isMoved = contact.address !== existing.address || contact.projectId !== existing.projectId => const isMoved = contact.address !== existing.address || true",
      "packages/sqlite/src/internal/contactSearch.ts: condition removed: const isMoved = contact.address !== existing.address || contact.projectId !== existing.projectId => const isMoved = true || contact.projectId !== existing.projectId",
      'packages/sqlite/src/internal/contactSearch.ts: right side alone: if (isMoved && addressHeld(contact, connection)) return "AlreadyExists" => if ((addressHeld(contact, connection))) return "AlreadyExists"'
    ]
  },
  {
    kind: "equivalent",
    why: "Writes the entries of an index again, with the same values.",
    keys: [
      "packages/sqlite/src/internal/contactSearch.ts: condition always true: if (!same(before, after)) { => if (true) {",
      "packages/sqlite/src/internal/contactSearch.ts: condition always true: if (!same(existing.listIds, contact.listIds) || existing.createdAt !== contact.createdAt) { => if (true) {",
      "packages/sqlite/src/internal/contactSearch.ts: condition removed: if (!same(existing.listIds, contact.listIds) || existing.createdAt !== contact.createdAt) { => if (!same(existing.listIds, contact.listIds) || true) {"
    ]
  },
  {
    kind: "equivalent",
    why: "Another index: the same rows in the same order, only slower.",
    keys: [
      'packages/sqlite/src/internal/answerQuery.ts: always the first: filters.address !== null ? "mailkeep_deliveries_of_recipient" : filters.contactId !== null ? "mailkeep_deliveries_of_contact" : "mailkeep_deliveries_newest" => ("mailkeep_deliveries_of_recipient")',
      'packages/sqlite/src/internal/answerQuery.ts: always the second: : filters.contactId !== null ? "mailkeep_deliveries_of_contact" : "mailkeep_deliveries_newest" => : ("mailkeep_deliveries_newest")',
      'packages/sqlite/src/internal/answerQuery.ts: always the second: filters.address !== null ? "mailkeep_deliveries_of_recipient" : filters.contactId !== null ? "mailkeep_deliveries_of_contact" : "mailkeep_deliveries_newest" => (filters.contactId !== null ? "mailkeep_deliveries_of_contact" : "mailkeep_deliveries_newest")',
      "packages/sqlite/src/internal/answerQuery.ts: condition removed: filters.address !== null => true",
      "packages/sqlite/src/internal/answerQuery.ts: operator: filters.address !== null => filters.address === null",
      'packages/sqlite/src/internal/contactQueries.ts: always the first: from: `mailkeep_contacts INDEXED BY ${emailStatus === null ? "mailkeep_contacts_newest" : "mailkeep_contacts_of_status"}`, => from: `mailkeep_contacts INDEXED BY ${("mailkeep_contacts_newest")}`,',
      'packages/sqlite/src/internal/contactQueries.ts: always the second: from: `mailkeep_contacts INDEXED BY ${emailStatus === null ? "mailkeep_contacts_newest" : "mailkeep_contacts_of_status"}`, => from: `mailkeep_contacts INDEXED BY ${("mailkeep_contacts_of_status")}`,',
      'packages/sqlite/src/internal/contactQueries.ts: condition removed: from: `mailkeep_contacts INDEXED BY ${emailStatus === null ? "mailkeep_contacts_newest" : "mailkeep_contacts_of_status"}`, => from: `mailkeep_contacts INDEXED BY ${true ? "mailkeep_contacts_newest" : "mailkeep_contacts_of_status"}`,',
      'packages/sqlite/src/internal/contactQueries.ts: operator: from: `mailkeep_contacts INDEXED BY ${emailStatus === null ? "mailkeep_contacts_newest" : "mailkeep_contacts_of_status"}`, => from: `mailkeep_contacts INDEXED BY ${emailStatus !== null ? "mailkeep_contacts_newest" : "mailkeep_contacts_of_status"}`,'
    ]
  },
  {
    kind: "equivalent",
    why: "No row has one of no ids.",
    keys: [
      'packages/sqlite/src/internal/contactQueries.ts: always the second: ids.length === 0 ? [] : findAll( connection, contacts, "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY created_at DESC, id DESC", JSON.stringify(ids) ) => (findAll( connection, contacts, "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY created_at DESC, id DESC", JSON.stringify(ids) ))'
    ]
  },
  {
    kind: "equivalent",
    why: "A search without the text index examines each contact, and finds the same contacts. The other bound needs 50,000 contacts.",
    keys: [
      "packages/sqlite/src/internal/contactQueries.ts: condition always false: if (part !== null && codePoints(part) >= indexedCharactersMin && hasFewTextMatches(connection, part)) => if (false)",
      "packages/sqlite/src/internal/contactQueries.ts: condition removed: return count <= textMatchesMax => return true",
      "packages/sqlite/src/internal/contactQueries.ts: left side alone: if (part !== null && codePoints(part) >= indexedCharactersMin && hasFewTextMatches(connection, part)) => if ((part !== null && codePoints(part) >= indexedCharactersMin))",
      "packages/sqlite/src/internal/contactQueries.ts: operator: .get(phraseOf(part), textMatchesMax + 1) as number => .get(phraseOf(part), textMatchesMax - 1) as number",
      "packages/sqlite/src/internal/contactQueries.ts: operator: if (part !== null && codePoints(part) >= indexedCharactersMin && hasFewTextMatches(connection, part)) => if (part !== null && codePoints(part) > indexedCharactersMin && hasFewTextMatches(connection, part))",
      "packages/sqlite/src/internal/contactQueries.ts: operator: return count <= textMatchesMax => return count < textMatchesMax",
      'packages/sqlite/src/internal/contactQueries.ts: sql: limit: "SELECT count(*) FROM (SELECT 1 FROM mailkeep_contact_search WHERE mailkeep_contact_search MATCH ? LIMIT ?)" => "SELECT count(*) FROM (SELECT 1 FROM mailkeep_contact_search WHERE mailkeep_contact_search MATCH ? LIMIT ? + 1)"',
      'packages/sqlite/src/internal/contactQueries.ts: sql: limit: "SELECT count(*) FROM (SELECT 1 FROM mailkeep_contact_search WHERE mailkeep_contact_search MATCH ? LIMIT ?)" => "SELECT count(*) FROM (SELECT 1 FROM mailkeep_contact_search WHERE mailkeep_contact_search MATCH ? LIMIT ? - 1)"',
      "packages/sqlite/src/internal/contactQueries.ts: value: .get(phraseOf(part), textMatchesMax + 1) as number => .get(phraseOf(part), textMatchesMax + 0) as number"
    ]
  },
  {
    kind: "equivalent",
    why: "Every text contains the empty text.",
    keys: [
      'packages/sqlite/src/internal/contactQueries.ts: left side alone: const part = search === null || search === "" ? null : caseFold(search) => const part = (search === null) ? null : caseFold(search)'
    ]
  },
  {
    kind: "equivalent",
    why: "Reads more columns of a row than the filters need.",
    keys: [
      'packages/sqlite/src/internal/contactQueries.ts: always the first: readRow[rest.segment !== null || rest.listId !== null ? "whole" : rest.search !== null ? "texts" : "none"] => readRow[("whole")]',
      'packages/sqlite/src/internal/contactQueries.ts: condition removed: readRow[rest.segment !== null || rest.listId !== null ? "whole" : rest.search !== null ? "texts" : "none"] => readRow[rest.segment !== null || true ? "whole" : rest.search !== null ? "texts" : "none"]',
      'packages/sqlite/src/internal/contactQueries.ts: condition removed: readRow[rest.segment !== null || rest.listId !== null ? "whole" : rest.search !== null ? "texts" : "none"] => readRow[true || rest.listId !== null ? "whole" : rest.search !== null ? "texts" : "none"]'
    ]
  },
  {
    kind: "equivalent",
    why: "The JSON text of null is read as null too.",
    keys: [
      'packages/sqlite/src/internal/recordTable.ts: always the second: value === null ? null : storing === "json" ? JSON.parse(value as string) : storing === "boolean" ? value === 1 : value => (storing === "json" ? JSON.parse(value as string) : storing === "boolean" ? value === 1 : value)',
      'packages/sqlite/src/internal/recordTable.ts: always the second: value === null ? null : storing === "json" ? JSON.stringify(value) : storing === "boolean" ? Number(value) : (value as Value) => (storing === "json" ? JSON.stringify(value) : storing === "boolean" ? Number(value) : (value as Value))'
    ]
  },
  {
    kind: "equivalent",
    why: "A query selects every column, so no column is missing.",
    keys: [
      "packages/sqlite/src/internal/recordTable.ts: left side alone: for (const { field, column, storing } of places) record[field] = fromColumn(storing, (row as Row)[column] ?? null) => for (const { field, column, storing } of places) record[field] = fromColumn(storing, ((row as Row)[column]))"
    ]
  },
  {
    kind: "equivalent",
    why: "Builds a text or prepares a statement again instead of using the one that it has.",
    keys: [
      "packages/sqlite/src/internal/recordTable.ts: condition always false: if (existing !== undefined) return existing => if (false) return existing",
      "packages/sqlite/src/internal/recordTable.ts: condition always false: if (existing !== undefined) return existing => if (false) return existing (2)",
      "packages/sqlite/src/internal/recordTable.ts: statement removed: selects.set(where, sql) => {}",
      "packages/sqlite/src/internal/recordTable.ts: statement removed: statements.set(sql, made) => {}"
    ]
  },
  {
    kind: "equivalent",
    why: "The words of this column come from a closed list or a calendar, and nothing compares the column without case with another.",
    keys: [
      "packages/sqlite/src/internal/answerQuery.ts: sql: case ignored: unsubscribed: count(\"mailkeep_contacts WHERE project_id = ? AND email_status = 'unsubscribed'\") => unsubscribed: count(\"mailkeep_contacts WHERE project_id = ? AND email_status = 'unsubscribed' COLLATE NOCASE\")",
      "packages/sqlite/src/internal/schema/access.ts: sql: column compared without case: name TEXT NOT NULL, => name TEXT NOT NULL COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/contacts.ts: sql: column compared without case: first_name TEXT NOT NULL, => first_name TEXT NOT NULL COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/contacts.ts: sql: column compared without case: last_name TEXT NOT NULL, => last_name TEXT NOT NULL COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/contacts.ts: sql: column compared without case: user_id TEXT, => user_id TEXT COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/events.ts: sql: column compared without case: event_id TEXT NOT NULL, => event_id TEXT NOT NULL COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/events.ts: sql: column compared without case: event_kind TEXT NOT NULL, => event_kind TEXT NOT NULL COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/events.ts: sql: column compared without case: kind TEXT NOT NULL, => kind TEXT NOT NULL COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/mail.ts: sql: column compared without case: api_key_id TEXT, => api_key_id TEXT COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/mail.ts: sql: column compared without case: domain TEXT NOT NULL, => domain TEXT NOT NULL COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/mail.ts: sql: column compared without case: from_name TEXT, => from_name TEXT COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/mail.ts: sql: column compared without case: idempotency_key TEXT NOT NULL, => idempotency_key TEXT NOT NULL COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/mail.ts: sql: column compared without case: kind TEXT NOT NULL CHECK (kind IN ('to', 'cc', 'bcc')), => kind TEXT NOT NULL COLLATE NOCASE CHECK (kind IN ('to', 'cc', 'bcc')),",
      "packages/sqlite/src/internal/schema/mail.ts: sql: column compared without case: template_id TEXT, => template_id TEXT COLLATE NOCASE,",
      "packages/sqlite/src/internal/schema/resources.ts: sql: column compared without case: kind TEXT NOT NULL, => kind TEXT NOT NULL COLLATE NOCASE,"
    ]
  },
  {
    kind: "equivalent",
    why: "All entries of a contact have the same instant.",
    keys: [
      "packages/sqlite/src/internal/schema/contacts.ts: sql: key shortened: PRIMARY KEY (list_id, created_at, contact_id) => PRIMARY KEY (list_id, contact_id)"
    ]
  },
  {
    kind: "equivalent",
    why: "A missing field is undefined.",
    keys: [
      "packages/sqlite/src/SqliteMailStore.ts: part removed: return { done: undefined } => return { }",
      "packages/sqlite/src/internal/answerQuery.ts: part removed: return { found, last: undefined } => return { found }"
    ]
  },
  {
    kind: "equivalent",
    why: "Reads one row more than it examines.",
    keys: [
      'packages/sqlite/src/internal/answerQuery.ts: sql: limit: "INDEXED BY mailkeep_suppressions_by_address WHERE project_id = ? AND address IS NOT NULL AND address > ? ORDER BY address LIMIT ?" => "INDEXED BY mailkeep_suppressions_by_address WHERE project_id = ? AND address IS NOT NULL AND address > ? ORDER BY address LIMIT ? + 1"',
      "packages/sqlite/src/internal/answerQuery.ts: sql: limit: ORDER BY created_at DESC, id DESC LIMIT ?` => ORDER BY created_at DESC, id DESC LIMIT ? + 1`"
    ]
  },
  {
    kind: "equivalent",
    why: "Rows without a due time are left out by another condition of the same query.",
    keys: [
      'packages/sqlite/src/internal/answerQuery.ts: sql: condition removed: "SELECT due_at FROM mailkeep_deliveries WHERE status = ? AND due_at IS NOT NULL AND worker IS NULL ORDER BY due_at LIMIT 1" => "SELECT due_at FROM mailkeep_deliveries WHERE status = ? AND (due_at IS NOT NULL OR 1) AND worker IS NULL ORDER BY due_at LIMIT 1"',
      "packages/sqlite/src/internal/answerQuery.ts: sql: condition removed: ) FROM waiting WHERE subscriber IS NOT NULL => ) FROM waiting WHERE (subscriber IS NOT NULL OR 1)",
      "packages/sqlite/src/internal/answerQuery.ts: sql: condition removed: SELECT (SELECT min(subscriber) FROM mailkeep_event_deliveries WHERE due_at IS NOT NULL AND subscriber > waiting.subscriber) => SELECT (SELECT min(subscriber) FROM mailkeep_event_deliveries WHERE (due_at IS NOT NULL OR 1) AND subscriber > waiting.subscriber)",
      "packages/sqlite/src/internal/answerQuery.ts: sql: condition removed: SELECT min(subscriber) FROM mailkeep_event_deliveries WHERE due_at IS NOT NULL => SELECT min(subscriber) FROM mailkeep_event_deliveries WHERE (due_at IS NOT NULL OR 1)"
    ]
  },
  {
    kind: "equivalent",
    why: "The recursion gives each subscriber once.",
    keys: ["packages/sqlite/src/internal/answerQuery.ts: sql: set operation: UNION ALL => UNION"]
  },
  {
    kind: "equivalent",
    why: "An address that is null is not greater than any text.",
    keys: [
      'packages/sqlite/src/internal/answerQuery.ts: sql: condition removed: "INDEXED BY mailkeep_suppressions_by_address WHERE project_id = ? AND address IS NOT NULL AND address > ? ORDER BY address LIMIT ?" => "INDEXED BY mailkeep_suppressions_by_address WHERE project_id = ? AND (address IS NOT NULL OR 1) AND address > ? ORDER BY address LIMIT ?"'
    ]
  },
  {
    kind: "equivalent",
    why: "A day has no letters.",
    keys: [
      'packages/sqlite/src/internal/answerQuery.ts: sql: case ignored: "SELECT counted_day AS day, count(*) AS deliveries FROM mailkeep_deliveries WHERE project_id = ? AND counted_day IS NOT NULL GROUP BY counted_day ORDER BY count… => "SELECT counted_day AS day, count(*) AS deliveries FROM mailkeep_deliveries WHERE project_id = ? AND counted_day IS NOT NULL GROUP BY counted_day ORDER BY count…',
      'packages/sqlite/src/internal/answerQuery.ts: sql: order term removed: "SELECT counted_day AS day, count(*) AS deliveries FROM mailkeep_deliveries WHERE project_id = ? AND counted_day IS NOT NULL GROUP BY counted_day ORDER BY count… => "SELECT counted_day AS day, count(*) AS deliveries FROM mailkeep_deliveries WHERE project_id = ? AND counted_day IS NOT NULL GROUP BY counted_day "'
    ]
  },
  {
    kind: "equivalent",
    why: "Chooses the thread that answers a query. The answer is the same.",
    keys: [
      "packages/sqlite/src/SqliteMailStore.ts: condition always false: if (queries.some(isScan)) return scans.read(queries) as Effect.Effect<Answers<Qs>, StoreUnavailable> => if (false) return scans.read(queries) as Effect.Effect<Answers<Qs>, StoreUnavailable>",
      "packages/sqlite/src/SqliteMailStore.ts: condition always true: if (queries.some(isScan)) return scans.read(queries) as Effect.Effect<Answers<Qs>, StoreUnavailable> => if (true) return scans.read(queries) as Effect.Effect<Answers<Qs>, StoreUnavailable>",
      "packages/sqlite/src/SqliteMailStore.ts: method: if (queries.some(isScan)) return scans.read(queries) as Effect.Effect<Answers<Qs>, StoreUnavailable> => if (queries.every(isScan)) return scans.read(queries) as Effect.Effect<Answers<Qs>, StoreUnavailable>",
      "packages/sqlite/src/internal/answerQuery.ts: condition removed: return query.skip > skipMax => return true",
      "packages/sqlite/src/internal/answerQuery.ts: condition removed: return status !== null || source !== null || search !== null || templateId !== null => return status !== null || source !== null || search !== null || true",
      "packages/sqlite/src/internal/answerQuery.ts: condition removed: return status !== null || source !== null || search !== null || templateId !== null => return status !== null || source !== null || true || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: condition removed: return status !== null || source !== null || search !== null || templateId !== null => return status !== null || true || search !== null || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: condition removed: return status !== null || source !== null || search !== null || templateId !== null => return true || source !== null || search !== null || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: left side alone: return status !== null || source !== null || search !== null || templateId !== null => return (status !== null || source !== null || search !== null)",
      "packages/sqlite/src/internal/answerQuery.ts: left side alone: return status !== null || source !== null || search !== null || templateId !== null => return (status !== null || source !== null) || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: left side alone: return status !== null || source !== null || search !== null || templateId !== null => return (status !== null) || search !== null || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: operator: return query.skip > skipMax => return query.skip < skipMax",
      "packages/sqlite/src/internal/answerQuery.ts: operator: return query.skip > skipMax => return query.skip >= skipMax",
      "packages/sqlite/src/internal/answerQuery.ts: operator: return status !== null || source !== null || search !== null || templateId !== null => return ((status !== null || source !== null || search !== null) && (templateId !== null))",
      "packages/sqlite/src/internal/answerQuery.ts: operator: return status !== null || source !== null || search !== null || templateId !== null => return ((status !== null || source !== null) && (search !== null)) || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: operator: return status !== null || source !== null || search !== null || templateId !== null => return ((status !== null) && (source !== null)) || search !== null || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: operator: return status !== null || source !== null || search !== null || templateId !== null => return status !== null || source !== null || search !== null || templateId === null",
      "packages/sqlite/src/internal/answerQuery.ts: operator: return status !== null || source !== null || search !== null || templateId !== null => return status !== null || source !== null || search === null || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: operator: return status !== null || source !== null || search !== null || templateId !== null => return status !== null || source === null || search !== null || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: operator: return status !== null || source !== null || search !== null || templateId !== null => return status === null || source !== null || search !== null || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: right side alone: return status !== null || source !== null || search !== null || templateId !== null => return (search !== null) || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: right side alone: return status !== null || source !== null || search !== null || templateId !== null => return (source !== null) || search !== null || templateId !== null",
      "packages/sqlite/src/internal/answerQuery.ts: right side alone: return status !== null || source !== null || search !== null || templateId !== null => return (templateId !== null)",
      "packages/sqlite/src/internal/answerQuery.ts: value: return false => return true",
      "packages/sqlite/src/internal/answerQuery.ts: value: return true => return false"
    ]
  },
  {
    kind: "unseen",
    why: "The estimated size of a commit matters only when more than 8 MiB wait in one group, or more than 64 MiB in the queue.",
    keys: [
      'packages/sqlite/src/SqliteMailStore.ts: always the first: change._tag === "InsertMessage" ? change.message : change._tag === "PutResource" && change.resource.kind === "templateBody" ? change.resource.content : undefine… => (change.message)',
      'packages/sqlite/src/SqliteMailStore.ts: always the second: : change._tag === "PutResource" && change.resource.kind === "templateBody" ? change.resource.content : undefined => : (undefined)',
      'packages/sqlite/src/SqliteMailStore.ts: always the second: change._tag === "InsertMessage" ? change.message : change._tag === "PutResource" && change.resource.kind === "templateBody" ? change.resource.content : undefine… => (change._tag === "PutResource" && change.resource.kind === "templateBody" ? change.resource.content : undefined)',
      'packages/sqlite/src/SqliteMailStore.ts: condition removed: : change._tag === "PutResource" && change.resource.kind === "templateBody" => : change._tag === "PutResource" && true',
      'packages/sqlite/src/SqliteMailStore.ts: condition removed: change._tag === "InsertMessage" => true',
      'packages/sqlite/src/SqliteMailStore.ts: left side alone: : change._tag === "PutResource" && change.resource.kind === "templateBody" => : (change._tag === "PutResource")',
      "packages/sqlite/src/SqliteMailStore.ts: left side alone: return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0)) => return sum + 1024 + 3 * (((body?.html?.length)) + (body?.text?.length ?? 0))",
      "packages/sqlite/src/SqliteMailStore.ts: left side alone: return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0)) => return sum + 1024 + 3 * ((body?.html?.length ?? 0) + ((body?.text?.length)))",
      'packages/sqlite/src/SqliteMailStore.ts: operator: : change._tag === "PutResource" && change.resource.kind === "templateBody" => : change._tag === "PutResource" && change.resource.kind !== "templateBody"',
      'packages/sqlite/src/SqliteMailStore.ts: operator: change._tag === "InsertMessage" => change._tag !== "InsertMessage"',
      "packages/sqlite/src/SqliteMailStore.ts: operator: return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0)) => return sum + 1024 + 3 * ((body?.html?.length ?? 0) - (body?.text?.length ?? 0))",
      "packages/sqlite/src/SqliteMailStore.ts: operator: return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0)) => return sum + 1024 - 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0))",
      "packages/sqlite/src/SqliteMailStore.ts: operator: return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0)) => return sum - 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0))",
      "packages/sqlite/src/SqliteMailStore.ts: right side alone: return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0)) => return sum + 1024 + 3 * (((0)) + (body?.text?.length ?? 0))",
      "packages/sqlite/src/SqliteMailStore.ts: right side alone: return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0)) => return sum + 1024 + 3 * ((body?.html?.length ?? 0) + ((0)))",
      "packages/sqlite/src/SqliteMailStore.ts: value: return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0)) => return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 1))",
      "packages/sqlite/src/SqliteMailStore.ts: value: return sum + 1024 + 3 * ((body?.html?.length ?? 0) + (body?.text?.length ?? 0)) => return sum + 1024 + 3 * ((body?.html?.length ?? 1) + (body?.text?.length ?? 0))",
      "packages/sqlite/src/SqliteMailStore.ts: value: }, 0) => }, 1)"
    ]
  },
  {
    kind: "unseen",
    why: "A failure of the disk or a lock of another program. The tests of the package and the fault runs cause them.",
    keys: [
      "packages/sqlite/src/SqliteMailStore.ts: condition always false: if (database.inTransaction) rollback.run() => if (false) rollback.run()",
      "packages/sqlite/src/SqliteMailStore.ts: condition always true: if (database.inTransaction) rollback.run() => if (true) rollback.run()",
      "packages/sqlite/src/SqliteMailStore.ts: statement removed: if (database.inTransaction) rollback.run() => if (database.inTransaction) {}",
      "packages/sqlite/src/SqliteMailStore.ts: statement removed: throw cause => {}",
      "packages/sqlite/src/internal/groupCommit.ts: always the first: const exit = reasonOf(cause) === undefined ? Exit.die(cause) : Exit.fail(unavailable(cause)) => const exit = (Exit.die(cause))",
      "packages/sqlite/src/internal/groupCommit.ts: always the second: const exit = reasonOf(cause) === undefined ? Exit.die(cause) : Exit.fail(unavailable(cause)) => const exit = (Exit.fail(unavailable(cause)))",
      "packages/sqlite/src/internal/groupCommit.ts: condition always false: if (database.inTransaction) rollback.run() => if (false) rollback.run()",
      "packages/sqlite/src/internal/groupCommit.ts: condition always false: if (reasonOf(cause) !== undefined) throw cause => if (false) throw cause",
      "packages/sqlite/src/internal/groupCommit.ts: condition always true: if (database.inTransaction) rollback.run() => if (true) rollback.run()",
      "packages/sqlite/src/internal/groupCommit.ts: condition removed: const exit = reasonOf(cause) === undefined ? Exit.die(cause) : Exit.fail(unavailable(cause)) => const exit = true ? Exit.die(cause) : Exit.fail(unavailable(cause))",
      "packages/sqlite/src/internal/groupCommit.ts: loop emptied: for (const { resume } of group) resume(exit) => for (const { resume } of group) {}",
      "packages/sqlite/src/internal/groupCommit.ts: operator: const exit = reasonOf(cause) === undefined ? Exit.die(cause) : Exit.fail(unavailable(cause)) => const exit = reasonOf(cause) !== undefined ? Exit.die(cause) : Exit.fail(unavailable(cause))",
      'packages/sqlite/src/internal/groupCommit.ts: part removed: const [begin, commit, rollback] = [statement("BEGIN IMMEDIATE"), statement("COMMIT"), statement("ROLLBACK")] => const [begin, commit, rollback] = [statement("BEGIN IMMEDIATE"), statement("COMMIT")]',
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: if (database.inTransaction) rollback.run() => if (database.inTransaction) {}",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: if (reasonOf(cause) !== undefined) throw cause => if (reasonOf(cause) !== undefined) {}",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: throw cause => {}"
    ]
  },
  {
    kind: "unseen",
    why: "A store may declare less than it does. The matrix in docs/adapters shows what it declares.",
    keys: [
      "packages/sqlite/src/SqliteMailStore.ts: value: capabilities: { durable: true, multiProcess: true }, => capabilities: { durable: false, multiProcess: true },",
      "packages/sqlite/src/SqliteMailStore.ts: value: capabilities: { durable: true, multiProcess: true }, => capabilities: { durable: true, multiProcess: false },"
    ]
  },
  {
    kind: "unseen",
    why: "A lock that another program keeps for seconds. The tests of the package cause it.",
    keys: [
      'packages/sqlite/src/SqliteMailStore.ts: condition removed: }).pipe(Effect.retry({ schedule: busySchedule, while: ({ reason }) => reason === "locked" })), => }).pipe(Effect.retry({ schedule: busySchedule, while: ({ reason }) => true })),',
      'packages/sqlite/src/SqliteMailStore.ts: operator: }).pipe(Effect.retry({ schedule: busySchedule, while: ({ reason }) => reason === "locked" })), => }).pipe(Effect.retry({ schedule: busySchedule, while: ({ reason }) => reason !== "locked" })),',
      "packages/sqlite/src/internal/groupCommit.ts: part removed: Effect.retry({ schedule: busySchedule, while: isBusy }), => Effect.retry({ schedule: busySchedule }),",
      "packages/sqlite/src/internal/groupCommit.ts: part removed: Effect.retry({ schedule: busySchedule, while: isBusy }), => Effect.retry({ while: isBusy }),"
    ]
  },
  {
    kind: "unseen",
    why: "The limits of a group and of the queue matter only when many megabytes or thousands of commits wait at once.",
    keys: [
      "packages/sqlite/src/internal/groupCommit.ts: condition always false: if (queue.length >= queueWritesMax || queuedOctets + octets > queueOctetsMax) => if (false)",
      "packages/sqlite/src/internal/groupCommit.ts: condition removed: (count === 0 || octets + queue[count]!.octets <= groupOctetsMax) => (count === 0 || true)",
      "packages/sqlite/src/internal/groupCommit.ts: condition removed: (count === 0 || octets + queue[count]!.octets <= groupOctetsMax) => (true || octets + queue[count]!.octets <= groupOctetsMax)",
      "packages/sqlite/src/internal/groupCommit.ts: condition removed: count < groupWritesMax && => true &&",
      "packages/sqlite/src/internal/groupCommit.ts: condition removed: if (closed && queue.length === 0) return => if (closed && true) return",
      "packages/sqlite/src/internal/groupCommit.ts: left side alone: (count === 0 || octets + queue[count]!.octets <= groupOctetsMax) => ((count === 0))",
      "packages/sqlite/src/internal/groupCommit.ts: left side alone: count < queue.length && count < groupWritesMax && (count === 0 || octets + queue[count]!.octets <= groupOctetsMax) => (count < queue.length && count < groupWritesMax)",
      "packages/sqlite/src/internal/groupCommit.ts: left side alone: count < queue.length && count < groupWritesMax && => (count < queue.length) &&",
      "packages/sqlite/src/internal/groupCommit.ts: left side alone: if (closed && queue.length === 0) return => if ((closed)) return",
      "packages/sqlite/src/internal/groupCommit.ts: left side alone: if (queue.length >= queueWritesMax || queuedOctets + octets > queueOctetsMax) => if ((queue.length >= queueWritesMax))",
      "packages/sqlite/src/internal/groupCommit.ts: loop emptied: for (const { octets } of group) queuedOctets -= octets => for (const { octets } of group) {}",
      "packages/sqlite/src/internal/groupCommit.ts: operator: (count === 0 || octets + queue[count]!.octets <= groupOctetsMax) => (((count === 0) && (octets + queue[count]!.octets <= groupOctetsMax)))",
      "packages/sqlite/src/internal/groupCommit.ts: operator: (count === 0 || octets + queue[count]!.octets <= groupOctetsMax) => (count !== 0 || octets + queue[count]!.octets <= groupOctetsMax)",
      "packages/sqlite/src/internal/groupCommit.ts: operator: (count === 0 || octets + queue[count]!.octets <= groupOctetsMax) => (count === 0 || octets + queue[count]!.octets < groupOctetsMax)",
      "packages/sqlite/src/internal/groupCommit.ts: operator: (count === 0 || octets + queue[count]!.octets <= groupOctetsMax) => (count === 0 || octets - queue[count]!.octets <= groupOctetsMax)",
      "packages/sqlite/src/internal/groupCommit.ts: operator: count < groupWritesMax && => count <= groupWritesMax &&",
      "packages/sqlite/src/internal/groupCommit.ts: operator: for (const { octets } of group) queuedOctets -= octets => for (const { octets } of group) queuedOctets += octets",
      "packages/sqlite/src/internal/groupCommit.ts: operator: if (queue.length >= queueWritesMax || queuedOctets + octets > queueOctetsMax) => if (((queue.length >= queueWritesMax) && (queuedOctets + octets > queueOctetsMax)))",
      "packages/sqlite/src/internal/groupCommit.ts: operator: if (queue.length >= queueWritesMax || queuedOctets + octets > queueOctetsMax) => if (queue.length > queueWritesMax || queuedOctets + octets > queueOctetsMax)",
      "packages/sqlite/src/internal/groupCommit.ts: operator: if (queue.length >= queueWritesMax || queuedOctets + octets > queueOctetsMax) => if (queue.length >= queueWritesMax || queuedOctets + octets >= queueOctetsMax)",
      "packages/sqlite/src/internal/groupCommit.ts: operator: if (queue.length >= queueWritesMax || queuedOctets + octets > queueOctetsMax) => if (queue.length >= queueWritesMax || queuedOctets - octets > queueOctetsMax)",
      "packages/sqlite/src/internal/groupCommit.ts: operator: octets += queue[count++]!.octets => octets -= queue[count++]!.octets",
      "packages/sqlite/src/internal/groupCommit.ts: operator: queuedOctets += octets => queuedOctets -= octets",
      'packages/sqlite/src/internal/groupCommit.ts: part removed: queue.push({ write, octets, resume: resume as Job["resume"] }) => queue.push({ write, resume: resume as Job["resume"] })',
      "packages/sqlite/src/internal/groupCommit.ts: right side alone: (count === 0 || octets + queue[count]!.octets <= groupOctetsMax) => ((octets + queue[count]!.octets <= groupOctetsMax))",
      "packages/sqlite/src/internal/groupCommit.ts: right side alone: if (queue.length >= queueWritesMax || queuedOctets + octets > queueOctetsMax) => if ((queuedOctets + octets > queueOctetsMax))",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: queuedOctets += octets => {}",
      "packages/sqlite/src/internal/groupCommit.ts: value: (count === 0 || octets + queue[count]!.octets <= groupOctetsMax) => (count === 1 || octets + queue[count]!.octets <= groupOctetsMax)",
      "packages/sqlite/src/internal/groupCommit.ts: value: let count = 0 => let count = 1",
      "packages/sqlite/src/internal/groupCommit.ts: value: let octets = 0 => let octets = 1",
      "packages/sqlite/src/internal/groupCommit.ts: value: let queuedOctets = 0 => let queuedOctets = 1"
    ]
  },
  {
    kind: "equivalent",
    why: "A measurement or a warning in the log. Every answer is the same.",
    keys: [
      "packages/sqlite/src/internal/groupCommit.ts: condition always false: if (isBusy(cause)) lockedSince ??= now => if (false) lockedSince ??= now",
      "packages/sqlite/src/internal/groupCommit.ts: condition always false: if (lockedSince !== undefined) lockedMillis += Math.max(0, now - lockedSince) => if (false) lockedMillis += Math.max(0, now - lockedSince)",
      "packages/sqlite/src/internal/groupCommit.ts: condition always false: if (logBytes <= logBytesWarned) { => if (false) {",
      "packages/sqlite/src/internal/groupCommit.ts: condition always false: if (warned) return Effect.void => if (false) return Effect.void",
      "packages/sqlite/src/internal/groupCommit.ts: condition always true: if (isBusy(cause)) lockedSince ??= now => if (true) lockedSince ??= now",
      "packages/sqlite/src/internal/groupCommit.ts: condition always true: if (lockedSince !== undefined) lockedMillis += Math.max(0, now - lockedSince) => if (true) lockedMillis += Math.max(0, now - lockedSince)",
      "packages/sqlite/src/internal/groupCommit.ts: condition always true: if (logBytes <= logBytesWarned) { => if (true) {",
      "packages/sqlite/src/internal/groupCommit.ts: condition always true: if (warned) return Effect.void => if (true) return Effect.void",
      "packages/sqlite/src/internal/groupCommit.ts: method: if (lockedSince !== undefined) lockedMillis += Math.max(0, now - lockedSince) => if (lockedSince !== undefined) lockedMillis += Math.min(0, now - lockedSince)",
      "packages/sqlite/src/internal/groupCommit.ts: operator: groups++ => groups--",
      "packages/sqlite/src/internal/groupCommit.ts: operator: if (lockedSince !== undefined) lockedMillis += Math.max(0, now - lockedSince) => if (lockedSince !== undefined) lockedMillis += Math.max(0, now + lockedSince)",
      "packages/sqlite/src/internal/groupCommit.ts: operator: if (lockedSince !== undefined) lockedMillis += Math.max(0, now - lockedSince) => if (lockedSince !== undefined) lockedMillis -= Math.max(0, now - lockedSince)",
      "packages/sqlite/src/internal/groupCommit.ts: operator: if (lockedSince !== undefined) lockedMillis += Math.max(0, now - lockedSince) => if (lockedSince === undefined) lockedMillis += Math.max(0, now - lockedSince)",
      "packages/sqlite/src/internal/groupCommit.ts: operator: if (logBytes <= logBytesWarned) { => if (logBytes < logBytesWarned) {",
      "packages/sqlite/src/internal/groupCommit.ts: operator: writes += group.length => writes -= group.length",
      "packages/sqlite/src/internal/groupCommit.ts: part removed: counts: () => ({ groups, writes, lockedMillis }) => counts: () => ({ groups, lockedMillis })",
      "packages/sqlite/src/internal/groupCommit.ts: part removed: counts: () => ({ groups, writes, lockedMillis }) => counts: () => ({ groups, writes })",
      "packages/sqlite/src/internal/groupCommit.ts: part removed: counts: () => ({ groups, writes, lockedMillis }) => counts: () => ({ writes, lockedMillis })",
      "packages/sqlite/src/internal/groupCommit.ts: part removed: return { exits, logBytes: check() } => return { exits }",
      "packages/sqlite/src/internal/groupCommit.ts: part removed: { logBytes } => { }",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: groups++ => {}",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: if (isBusy(cause)) lockedSince ??= now => if (isBusy(cause)) {}",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: if (lockedSince !== undefined) lockedMillis += Math.max(0, now - lockedSince) => if (lockedSince !== undefined) {}",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: warned = false => {}",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: warned = true => {}",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: writes += group.length => {}",
      "packages/sqlite/src/internal/groupCommit.ts: value: if (lockedSince !== undefined) lockedMillis += Math.max(0, now - lockedSince) => if (lockedSince !== undefined) lockedMillis += Math.max(1, now - lockedSince)",
      "packages/sqlite/src/internal/groupCommit.ts: value: let groups = 0 => let groups = 1",
      "packages/sqlite/src/internal/groupCommit.ts: value: let lockedMillis = 0 => let lockedMillis = 1",
      "packages/sqlite/src/internal/groupCommit.ts: value: let warned = false => let warned = true",
      "packages/sqlite/src/internal/groupCommit.ts: value: let writes = 0 => let writes = 1",
      "packages/sqlite/src/internal/groupCommit.ts: value: warned = false => warned = true",
      "packages/sqlite/src/internal/groupCommit.ts: value: warned = true => warned = false"
    ]
  },
  {
    kind: "equivalent",
    why: "The commit of the group releases its savepoints.",
    keys: [
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: release.run() => {}",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: release.run() => {} (2)"
    ]
  },
  {
    kind: "equivalent",
    why: "The loop runs without a pause, or cuts smaller groups. Every answer is the same.",
    keys: [
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: yield* Effect.yieldNow => {}",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: yield* waiting.await => {}",
      "packages/sqlite/src/internal/groupCommit.ts: statement removed: yield* waiting.close => {}"
    ]
  },
  {
    kind: "unseen",
    why: "The queue is full only when many megabytes or thousands of commits wait at once.",
    keys: [
      'packages/sqlite/src/internal/groupCommit.ts: part removed: return resume(Effect.fail(new StoreUnavailable({ reason: "overloaded" }))) => return resume(Effect.fail(new StoreUnavailable({ })))'
    ]
  }
]

export const explained: ReadonlyArray<Explained> = reasons.flatMap(({ kind, why, keys }) =>
  keys.map((key) => ({ key, kind, why }))
)
