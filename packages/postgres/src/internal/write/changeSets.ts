/**
 * How each kind of change is applied: with one statement for all changes of the kind.
 */
import type {
  ApiKeyRecord,
  ChangeOf,
  ChangeTag,
  ProjectRecord,
  Resource,
  SenderDomainRecord,
  SuppressionRecord
} from "@mailkeep/core/adapter"
import { stateFields } from "@mailkeep/core/adapter/evaluation"
import {
  apiKeys,
  attempts,
  deliveries,
  deliveryRow,
  domains,
  eventDeliveries,
  events,
  idempotency,
  messageRow,
  projects,
  resources,
  storedDeliveries,
  storedMessages,
  suppressions
} from "../tables.ts"
import type { ApplySet, RecordPut } from "./applySet.ts"
import { applyAll, applyAlways, insertSql, joined, putRecords, parameterRows, writtenBy } from "./applySet.ts"
import { makeComparedSets } from "./comparedSets.ts"
import { contactSets } from "./contactSets.ts"
import { makeAddToCounters } from "./counterSet.ts"
import { makeExpectSet } from "./expectSet.ts"
import { makePutContents } from "./contentSet.ts"

export type ChangeSets = { readonly [T in ChangeTag]: ApplySet<ChangeOf<T>> }

const keyOf = ({ projectId, id }: { readonly projectId: string; readonly id: string }): string => joined(projectId, id)

const projectPut: RecordPut<ProjectRecord, ChangeOf<"PutProject">> = {
  table: projects,
  key: ["id"],
  recordOf: ({ project }) => project
}

export const apiKeyPut: RecordPut<ApiKeyRecord, ChangeOf<"PutApiKey">> = {
  table: apiKeys,
  key: ["projectId", "id"],
  recordOf: ({ key }) => key
}

const domainPut: RecordPut<SenderDomainRecord, ChangeOf<"PutDomain">> = {
  table: domains,
  key: ["projectId", "domain"],
  recordOf: ({ domain }) => domain
}

export const resourcePut: RecordPut<Resource, ChangeOf<"PutResource">> = {
  table: resources,
  key: ["projectId", "id"],
  recordOf: ({ resource }) => resource
}

const suppressionPut: RecordPut<SuppressionRecord, ChangeOf<"PutSuppression">> = {
  table: suppressions,
  key: ["projectId", "addressKey"],
  recordOf: ({ suppression }) => suppression
}

/** The sets of the records that every other record depends on. */
const accessSets = (schema: string) => ({
  PutSetting: applyAll<ChangeOf<"PutSetting">>(
    writtenBy(`INSERT INTO ${schema}.settings (name, value) SELECT name, value FROM ${parameterRows("name text, value text")}
ON CONFLICT DO NOTHING RETURNING name`),
    ({ name, value }) => ({ name, value }),
    ({ name }) => name
  ),
  PutProject: putRecords(schema, projectPut),
  PutApiKey: putRecords(schema, apiKeyPut, `t.public_id = r."publicId"`),
  TouchApiKey: applyAlways<ChangeOf<"TouchApiKey">>(
    `UPDATE ${schema}.api_keys AS t SET last_used_at = r."lastUsedAt"
FROM ${parameterRows(`"projectId" text, id text, "lastUsedAt" bigint`)} WHERE (t.project_id, t.id) = (r."projectId", r.id)`,
    ({ projectId, id, lastUsedAt }) => ({ projectId, id, lastUsedAt })
  ),
  PutDomain: putRecords(schema, domainPut),
  RemoveDomain: applyAll<ChangeOf<"RemoveDomain">>(
    writtenBy(`DELETE FROM ${schema}.domains AS t USING ${parameterRows(`"projectId" text, domain text, revision bigint`)}
WHERE (t.project_id, t.domain, t.revision) = (r."projectId", r.domain, r.revision) RETURNING t.project_id, t.domain`),
    ({ projectId, domain, revision }) => ({ projectId, domain, revision }),
    ({ projectId, domain }) => joined(projectId, domain)
  ),
  PutResource: putRecords(
    schema,
    resourcePut,
    `(r.name IS NULL OR (t.kind, t.parent, t.name) = (r.kind, r.parent, r.name))`
  ),
  RemoveResource: applyAll<ChangeOf<"RemoveResource">>(
    writtenBy(`DELETE FROM ${schema}.resources AS t USING ${parameterRows(`"projectId" text, id text, revision bigint`)}
WHERE (t.project_id, t.id, t.revision) = (r."projectId", r.id, r.revision) RETURNING t.project_id, t.id`),
    ({ projectId, id, revision }) => ({ projectId, id, revision }),
    keyOf
  ),
  PutSuppression: putRecords(schema, suppressionPut),
  RecordIdempotency: applyAll<ChangeOf<"RecordIdempotency">>(
    // An expired record is replaced by the new one.
    writtenBy(`INSERT INTO ${schema}.idempotency AS t (${idempotency.targets()}, recorded_at)
SELECT ${idempotency.sources("r")}, r."now" FROM ${parameterRows(`${idempotency.definitions()}, "now" bigint`)}
ON CONFLICT (project_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, result = excluded.result,
  expires_at = excluded.expires_at, recorded_at = excluded.recorded_at
WHERE t.expires_at <= excluded.recorded_at
RETURNING project_id, key`),
    ({ record, now }) => ({ ...record, now }),
    ({ record }) => joined(record.projectId, record.key)
  ),
  ExtendIdempotency: applyAlways<ChangeOf<"ExtendIdempotency">>(
    `UPDATE ${schema}.idempotency AS t SET expires_at = r."expiresAt"
FROM ${parameterRows(`"projectId" text, key text, "expiresAt" bigint`)} WHERE (t.project_id, t.key) = (r."projectId", r.key)`,
    ({ projectId, key, expiresAt }) => ({ projectId, key, expiresAt })
  )
})

/** Where a delivery or an event delivery has the status and the fencing token of the guard. */
const transitionGuard = `(t.project_id, t.id, t.status, t.fencing_token) = (r."guardProject", r."guardId", r."guardStatus", r."guardToken")`
const transitionDefinitions = `"guardProject" text, "guardId" text, "guardStatus" text, "guardToken" bigint`

interface Transition {
  readonly projectId: string
  readonly id: string
  readonly from: string
  readonly fencingToken: number
  readonly next: object
}

const transitionRow = ({ projectId, id, from, fencingToken, next }: Transition) => ({
  ...next,
  guardProject: projectId,
  guardId: id,
  guardStatus: from,
  guardToken: fencingToken
})

/** The sets of messages, deliveries and attempts. */
const mailSets = (schema: string) => ({
  // A message refers to the contents of its attachments.
  InsertMessage: applyAll<ChangeOf<"InsertMessage">>(
    `added AS (${insertSql(schema, storedMessages, ["projectId", "id"])}, attachments), referring AS (
  INSERT INTO ${schema}.message_contents (project_id, hash, message_id)
  SELECT added.project_id, attachment ->> 'hash', added.id
  FROM added CROSS JOIN LATERAL json_array_elements(added.attachments) AS attachment
  ON CONFLICT DO NOTHING
), ${writtenBy("SELECT project_id, id FROM added")}`,
    ({ message }) => messageRow(message),
    ({ message }) => keyOf(message)
  ),
  InsertDelivery: applyAll<ChangeOf<"InsertDelivery">>(
    writtenBy(insertSql(schema, storedDeliveries, ["projectId", "id"])),
    ({ delivery }) => deliveryRow(delivery),
    ({ delivery }) => keyOf(delivery)
  ),
  InsertAttempt: applyAll<ChangeOf<"InsertAttempt">>(
    writtenBy(
      insertSql(
        schema,
        attempts,
        ["projectId", "deliveryId", "number"],
        `JOIN ${schema}.deliveries AS d ON (d.project_id, d.id) = (r."projectId", r."deliveryId")`
      )
    ),
    ({ attempt }) => attempt,
    ({ attempt }) => joined(attempt.projectId, attempt.deliveryId, attempt.number)
  ),
  // Locks the delivery, so that no other worker claims it before this commit ends.
  TransitionAttempt: applyAll<ChangeOf<"TransitionAttempt">>(
    `r AS MATERIALIZED (
  SELECT * FROM ${parameterRows(`${attempts.definitions(stateFields.Attempt)}, "projectId" text, "deliveryId" text, number bigint, "guardToken" bigint, "guardPhase" text`)}
), locked AS MATERIALIZED (
  SELECT t.project_id, t.id, t.fencing_token FROM ${schema}.deliveries AS t
  JOIN r ON (t.project_id, t.id, t.fencing_token) = (r."projectId", r."deliveryId", r."guardToken")
  WHERE t.status = 'sending'
  ORDER BY t.project_id, t.id FOR NO KEY UPDATE OF t
), written AS (
UPDATE ${schema}.attempts AS t SET ${attempts.assignments("r", stateFields.Attempt)}
FROM r JOIN locked ON (locked.project_id, locked.id, locked.fencing_token) = (r."projectId", r."deliveryId", r."guardToken")
WHERE (t.project_id, t.delivery_id, t.number, t.phase) = (r."projectId", r."deliveryId", r.number, r."guardPhase")
RETURNING t.project_id, t.delivery_id, t.number
)`,
    ({ projectId, deliveryId, number, fencingToken, from, next }) => ({
      ...next,
      projectId,
      deliveryId,
      number,
      guardToken: fencingToken,
      guardPhase: from
    }),
    ({ projectId, deliveryId, number }) => joined(projectId, deliveryId, number)
  ),
  TransitionDelivery: applyAll<ChangeOf<"TransitionDelivery">>(
    writtenBy(`UPDATE ${schema}.deliveries AS t SET ${deliveries.assignments("r", stateFields.Delivery)}
FROM ${parameterRows(`${deliveries.definitions(stateFields.Delivery)}, ${transitionDefinitions}`)} WHERE ${transitionGuard}
RETURNING t.project_id, t.id`),
    transitionRow,
    keyOf
  )
})

/** The sets of events, event deliveries and leases. */
const eventSets = (schema: string) => ({
  AppendEvent: applyAll<ChangeOf<"AppendEvent">>(
    `${writtenBy(insertSql(schema, events, ["projectId", "id"]))}, waiting AS (
  INSERT INTO ${schema}.undistributed_events (project_id, event_id) SELECT project_id, id FROM written
)`,
    ({ event }) => event,
    ({ event }) => keyOf(event)
  ),
  DistributeEvent: applyAll<ChangeOf<"DistributeEvent">>(
    writtenBy(`DELETE FROM ${schema}.undistributed_events AS t USING ${parameterRows(`"projectId" text, id text`)}
WHERE (t.project_id, t.event_id) = (r."projectId", r.id) RETURNING t.project_id, t.event_id`),
    ({ projectId, id }) => ({ projectId, id }),
    keyOf
  ),
  InsertEventDelivery: applyAll<ChangeOf<"InsertEventDelivery">>(
    writtenBy(insertSql(schema, eventDeliveries, ["projectId", "id"])),
    ({ eventDelivery }) => eventDelivery,
    ({ eventDelivery }) => keyOf(eventDelivery)
  ),
  TransitionEventDelivery: applyAll<ChangeOf<"TransitionEventDelivery">>(
    writtenBy(`UPDATE ${schema}.event_deliveries AS t SET ${eventDeliveries.assignments("r", stateFields.EventDelivery)}
FROM ${parameterRows(`${eventDeliveries.definitions(stateFields.EventDelivery)}, ${transitionDefinitions}`)} WHERE ${transitionGuard}
RETURNING t.project_id, t.id`),
    transitionRow,
    keyOf
  ),
  RenewLease: applyAlways<ChangeOf<"RenewLease">>(
    `INSERT INTO ${schema}.leases (worker, renewed_at, lease_until)
SELECT worker, "renewedAt", "leaseUntil" FROM ${parameterRows(`worker text, "renewedAt" bigint, "leaseUntil" bigint`)}
ON CONFLICT (worker) DO UPDATE SET renewed_at = excluded.renewed_at, lease_until = excluded.lease_until`,
    ({ worker, renewedAt, leaseUntil }) => ({ worker, renewedAt, leaseUntil })
  ),
  EndLease: applyAlways<ChangeOf<"EndLease">>(
    `DELETE FROM ${schema}.leases AS t USING ${parameterRows("worker text")} WHERE t.worker = r.worker`,
    ({ worker }) => ({ worker })
  )
})

export const makeChangeSets = (schema: string): ChangeSets => ({
  Expect: makeExpectSet(schema),
  ...accessSets(schema),
  ...contactSets(schema),
  PutContent: makePutContents(schema),
  ...mailSets(schema),
  AddToCounter: makeAddToCounters(schema),
  ...eventSets(schema),
  ...makeComparedSets(schema)
})
