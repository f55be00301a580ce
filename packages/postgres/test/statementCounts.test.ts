import type { Change, RemovableKind, RewritableKind, StoredRecordOf } from "@mailkeep/core/adapter"
import { inCommitOrder } from "@mailkeep/core/adapter"
import { hasPostgres } from "@mailkeep/test-support/postgres"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import type { SentStatement } from "./recordedStatements.ts"
import { observeStatements } from "./recordedStatements.ts"
import { testServer } from "./testServer.ts"

/** In each project: as many messages as its number, each with a delivery, an attempt, an event, an event delivery and a suppression. */
const rowsSql = `WITH numbers AS (
  SELECT 'prj_' || count AS project, n FROM (VALUES (2), (40)) AS counts (count) CROSS JOIN LATERAL generate_series(1, count) AS n
), message AS (
  INSERT INTO mailkeep.messages (project_id, id, source, "from", domain, subject, "to", cc, headers, attachments, list_unsubscribe, metadata, idempotency_key, created_at)
  SELECT project, 'msg_' || n, 'api', 'a@b.example', 'b.example', 'Hello', '[]', '[]', '{}', '[]', false, '{}', '', n FROM numbers
), delivery AS (
  INSERT INTO mailkeep.deliveries (project_id, id, message_id, kind, recipient, address, source, bulk, created_at, status,
    fencing_token, attempt_count, deferrals, ambiguous_attempts, worker_deaths, reached_relay, sequence)
  SELECT project, 'del_' || n, 'msg_' || n, 'to', 'a@b.example', 'a@b.example', 'api', false, n, 'delivered', 7, 1, 0, 0, 0, false, 0 FROM numbers
), attempt AS (
  INSERT INTO mailkeep.attempts (project_id, delivery_id, number, started_at, phase) SELECT project, 'del_' || n, 1, 1, 'ended' FROM numbers
), event AS (
  INSERT INTO mailkeep.events (project_id, id, occurred_at, kind, data) SELECT project, 'evt_' || n, n, 'email.delivered', '{}' FROM numbers
)
INSERT INTO mailkeep.suppressions (project_id, address_key, address, reasons, revision) SELECT project, 'key_' || n, null, '{}', 1 FROM numbers`

const rewritten = ["Message", "Delivery", "Event"] as const satisfies ReadonlyArray<RewritableKind>

const deletionOf = (record: StoredRecordOf<RewritableKind | RemovableKind>): Change =>
  record.kind === "Suppression"
    ? { _tag: "RemoveRecord", record }
    : { _tag: "RewriteRecord", before: record as StoredRecordOf<RewritableKind>, after: null }

describe.skipIf(!hasPostgres())("a commit that deletes records as they were read", () => {
  it("sends as many statements for 160 records as for 8", async () => {
    const server = await testServer()
    const database = await server.createDatabase()
    const sent: Array<SentStatement> = []
    observeStatements((statement) => sent.push(statement))

    const counts = await Effect.gen(function* () {
      const store = yield* PostgresMailStore.make({ connectionString: server.urlOf(database) })
      yield* Effect.promise(() => server.run(database, rowsSql))
      return yield* Effect.forEach(["prj_2", "prj_40"], (projectId) =>
        Effect.gen(function* () {
          const all = yield* store.read(
            [...rewritten, "Suppression" as const].map(
              (kind) => ({ _tag: "Records", kind, projectId, after: null, limit: 100 }) as const
            )
          )
          const deletions = all.flat().map((record) => deletionOf(record as Parameters<typeof deletionOf>[0]))
          const before = sent.length
          yield* store.commit(inCommitOrder(deletions))
          // Other stores of this process send statements too.
          const statements = sent
            .slice(before)
            .filter(({ values = [] }) => JSON.stringify(values).includes(projectId)).length
          const [attempts] = yield* store.read([{ _tag: "Records", kind: "Attempt", projectId, after: null, limit: 1 }])
          return { deletions: deletions.length, statements, attempts: attempts.length }
        })
      )
    }).pipe(Effect.scoped, Effect.runPromise)

    expect(counts.map(({ deletions }) => deletions)).toEqual([8, 160])
    expect(counts.map(({ attempts }) => attempts)).toEqual([0, 0])
    expect(counts[0]!.statements).toBeGreaterThan(0)
    expect(counts[1]!.statements).toBe(counts[0]!.statements)
  })
})
