/**
 * Every use case refuses invalid input with `InvalidArgument`, as the wire does, and writes nothing.
 */
import { withTestMail, project, start, stores } from "@mailkeep/test-support"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Exit, Layer, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { Plan } from "../../../src/index.ts"
import {
  ApiKeys,
  ContactFiles,
  Contacts,
  DeliveryLog,
  Domains,
  InvalidArgument,
  MailStore,
  PlanSource,
  Projects,
  Webhooks
} from "../../../src/index.ts"
import { contactCases, groupCases } from "../contact/hostileContacts.ts"
import { sendCases } from "./hostileSends.ts"
import { templateCases } from "../template/hostileTemplates.ts"
import type { Anything, Case } from "./hostileValues.ts"
import {
  email,
  huge,
  notCount,
  notInstant,
  notLimit,
  notName,
  notObject,
  notProject,
  notText,
  url
} from "./hostileValues.ts"

const webhooks = <A, E, R>(use: (service: Webhooks["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Webhooks, use)
const domains = <A, E, R>(use: (service: Domains["Service"]) => Effect.Effect<A, E, R>) => Effect.flatMap(Domains, use)
const keys = (change: Anything) =>
  Effect.flatMap(ApiKeys, (service) => service.create(project, { permissions: ["email.send"], ...change }))

const otherCases: ReadonlyArray<Case> = [
  ["Webhooks.create projectId", notProject, (id) => webhooks((service) => service.create(id, { url }))],
  [
    "Webhooks.create url",
    [...notText, "", "javascript:1", huge],
    (url) => webhooks((service) => service.create(project, { url }))
  ],
  [
    "Webhooks.create events",
    [null, 7, "email.delivered", [], ["zzz"], ["__proto__"]],
    (events) => webhooks((service) => service.create(project, { url, events }))
  ],
  [
    "Webhooks.create description",
    notName,
    (description) => webhooks((service) => service.create(project, { url, description }))
  ],
  [
    "Webhooks.update status",
    [null, 7, "zzz"],
    (status) => webhooks((service) => service.update(project, "whk_x", { status }))
  ],
  [
    "Webhooks.update secrets",
    [[]],
    (secrets) => webhooks((service) => service.update(project, "whk_x", { secrets } as Anything))
  ],
  ["Webhooks.update id", notText, (id) => webhooks((service) => service.update(project, id, {}))],
  ["Webhooks.rotateSecret id", notText, (id) => webhooks((service) => service.rotateSecret(project, id))],
  ["Webhooks.replay eventDeliveryId", notText, (id) => webhooks((service) => service.replay(project, "whk_x", id))],
  [
    "Webhooks.listEventDeliveries limit",
    notLimit,
    (limit) => webhooks((service) => service.listEventDeliveries(project, "whk_x", { limit }))
  ],
  ["Webhooks.list limit", notLimit, (limit) => webhooks((service) => service.list(project, { limit }))],
  [
    "Domains.create projectId",
    notProject,
    (id) => domains((service) => service.create(id, { domain: "a.example", verified: true }))
  ],
  [
    "Domains.create domain",
    [...notText, "", "nodots", "a\u0000.example", "\ud800.example", `${"\u0301".repeat(1_000_000)}.example`],
    (domain) => domains((service) => service.create(project, { domain, verified: true }))
  ],
  [
    "Domains.create verified",
    [null, 1, "yes"],
    (verified) => domains((service) => service.create(project, { domain: "a.example", verified }))
  ],
  ["Domains.list limit", notLimit, (limit) => domains((service) => service.list(project, { limit }))],
  ["Domains.list status", [7, "zzz"], (status) => domains((service) => service.list(project, { status }))],
  ["Domains.list search", [7, huge], (search) => domains((service) => service.list(project, { search }))],
  ["Domains.get id", notText, (id) => domains((service) => service.get(project, id))],
  ["Domains.verify id", notText, (id) => domains((service) => service.verify(project, id))],
  ["Domains.delete id", notText, (id) => domains((service) => service.delete(project, id))],
  [
    "ApiKeys.create projectId",
    notProject,
    (id) => Effect.flatMap(ApiKeys, (service) => service.create(id, { permissions: ["email.send"] }))
  ],
  ["ApiKeys.create name", notName, (name) => keys({ name })],
  [
    "ApiKeys.create permissions",
    [undefined, null, "email.send", [], ["zzz"], [null]],
    (permissions) => keys({ permissions })
  ],
  ["ApiKeys.create domainScope", [null, "a.example", [7], ["nodots"]], (domainScope) => keys({ domainScope })],
  ["ApiKeys.create expiresAt", [...notInstant.slice(1), start], (expiresAt) => keys({ expiresAt })],
  ["ApiKeys.revoke apiKeyId", notText, (id) => Effect.flatMap(ApiKeys, (service) => service.revoke(id))],
  ["ApiKeys.list projectId", notProject, (id) => Effect.flatMap(ApiKeys, (service) => service.list(id))],
  ["Projects.ensure id", notProject, (id) => Effect.flatMap(Projects, (service) => service.ensure(id))],
  [
    "Projects.update input",
    [...notObject, { onAmbiguous: "zzz" }, { id: "prj_b" }],
    (input) => Effect.flatMap(Projects, (service) => service.update("prj_new", input))
  ],
  ["Projects.usage id", notProject, (id) => Effect.flatMap(Projects, (service) => service.usage(id))],
  [
    "Projects.usage input",
    [
      ...notObject.slice(1),
      { startDate: "2026-02-30" },
      { startDate: "2999-01-01" },
      { endDate: Number.NaN },
      { day: "today" }
    ],
    (input) => Effect.flatMap(Projects, (service) => service.usage(project, input))
  ],
  [
    "DeliveryLog.list limit",
    notLimit,
    (limit) => Effect.flatMap(DeliveryLog, (service) => service.list(project, { limit }))
  ],
  [
    "DeliveryLog.list status",
    [7, "zzz"],
    (status) => Effect.flatMap(DeliveryLog, (service) => service.list(project, { status }))
  ],
  [
    "DeliveryLog.list startDate",
    ["2026-02-30", "zzz", Number.NaN, new Date(Number.NaN), {}],
    (startDate) => Effect.flatMap(DeliveryLog, (service) => service.list(project, { startDate }))
  ],
  ["DeliveryLog.get deliveryId", notText, (id) => Effect.flatMap(DeliveryLog, (service) => service.get(project, id))],
  [
    "DeliveryLog.listEvents limit",
    [...notCount, 1001, 1e9],
    (limit) => Effect.flatMap(DeliveryLog, (service) => service.listEvents(project, { limit }))
  ],
  [
    "DeliveryLog.usageAudit projectId",
    notProject,
    (id) => Effect.flatMap(DeliveryLog, (service) => service.usageAudit(id))
  ]
]

/** Counts commits. The commits of the clock and of the project come before the test. */
const counted = () => {
  const commits = { count: 0 }
  const layer = Layer.effect(
    MailStore,
    Effect.map(MailStore, (inner) => ({
      ...inner,
      commit: (changes: Parameters<typeof inner.commit>[0]) => {
        commits.count++
        return inner.commit(changes)
      }
    }))
  ).pipe(Layer.provide(MemoryMailStore.layer))
  return { commits, store: { name: "counted", layer } }
}

const shown = (value: unknown): string =>
  typeof value === "string" ? JSON.stringify(value.slice(0, 20)) : String(value)

describe("a use case", () => {
  it.each([...contactCases, ...groupCases, ...templateCases, ...otherCases, ...sendCases])(
    "refuses a hostile %s and writes nothing",
    (_, values, call) => {
      const { commits, store } = counted()
      return withTestMail(store)(
        Effect.gen(function* () {
          const before = commits.count
          for (const value of values) {
            const exit = yield* Effect.exit(Effect.suspend(() => call(value)) as Effect.Effect<unknown, unknown>)
            const failure =
              Exit.isFailure(exit) && exit.cause.reasons[0]?._tag === "Fail" ? exit.cause.reasons[0].error : exit
            expect(failure, typeof value === "symbol" ? "a symbol" : shown(value)).toBeInstanceOf(InvalidArgument)
            expect((failure as InvalidArgument).issues[0]).toMatchObject({ path: expect.any(Array) })
          }
          expect(commits.count).toBe(before)
        })
      )
    }
  )

  it.each([
    [{ contacts: -1 }, ["contacts"], "too_small"],
    [{ dailySends: Number.NaN }, ["dailySends"], "invalid_type"],
    [{ sendingAllowance: "10" }, ["sendingAllowance"], "invalid_type"],
    [{ rateLimit: { requests: 0, windowMillis: 1000 } }, ["rateLimit", "requests"], "too_small"],
    [{ zzz: 1 }, ["zzz"], "unknown_field"]
  ])("refuses the plan %j", async (plan, path, code) => {
    const layer = PlanSource.layerFixed(plan as Partial<Plan>)
    const refused = await Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(layer))))
    expect(refused).toBeInstanceOf(InvalidArgument)
    expect((refused as InvalidArgument).issues[0]).toMatchObject({ path: ["plan", ...path], code })
  })
})

describe.each(stores)("a file of contacts, over $name", (store) => {
  it("refuses an import row that is not a list of texts, and imports the other rows", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const rows = [
          { line: 1, cells: ["email"] },
          { line: 2, cells: [7] },
          { line: 3, cells: null },
          { line: 4, cells: [email] },
          null,
          7,
          { cells: ["bob@example.org"] },
          { line: 8, cells: ["eve@example.org"], malformed: null }
        ] as Anything
        const taken = yield* Stream.runCollect(
          (yield* ContactFiles).importRows(project, Stream.fromIterable(rows) as Anything)
        )
        expect([...taken].map((row: Anything) => [row.line, row.outcome]).toSorted()).toEqual([
          [2, "refused"],
          [3, "refused"],
          [4, "created"],
          [5, "refused"],
          [6, "refused"],
          [7, "refused"],
          [8, "refused"]
        ])
      })
    ))

  it.each([
    null,
    7,
    "email",
    {},
    { line: 1 },
    { line: 1, cells: "email" },
    { line: 1, cells: [7] },
    { cells: ["email"] }
  ])("refuses %j as the row with the names of the columns, and imports nothing", (first) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const rows = Stream.make(first, { line: 2, cells: [email] }) as Anything
        const failure = yield* Effect.flip(Stream.runCollect((yield* ContactFiles).importRows(project, rows)))
        expect(failure).toMatchObject({ argument: "input", issues: [{ path: ["columns"], code: "invalid_type" }] })
        expect((yield* (yield* Contacts).list(project)).total).toBe(0)
      })
    )
  )
})
