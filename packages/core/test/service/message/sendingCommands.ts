/**
 * The random sequences of commands in which the services must do the same as the model of sending.
 */
import type { ManagedRuntime } from "effect"
import { Effect, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { expect } from "vitest"
import type { DeliveryStatus, Principal } from "../../../src/index.ts"
import { Access, ApiKeys, DeliveryLog, formatInstant, Sending, Suppressions } from "../../../src/index.ts"
import { dayMillis, hourMillis, minuteMillis, utcDayOf } from "../../../src/domain/value/Instant.ts"
import type { StoreUnderTest, TestMail } from "@mailkeep/test-support"
import { delivery, events, expectBalanced, openTestMail, project, sendInput, tick } from "@mailkeep/test-support"
import type { Person, ModelDelivery, Send } from "./sendingModel.ts"
import { plan, people, addressOf, Model, expectedResult } from "./sendingModel.ts"

class Real {
  readonly runtime: ManagedRuntime.ManagedRuntime<TestMail, unknown>
  readonly principal: Principal
  readonly apiKeyId: string
  readonly ids: Array<{ readonly messageId: string; readonly deliveryIds: ReadonlyArray<string> }> = []

  constructor(runtime: ManagedRuntime.ManagedRuntime<TestMail, unknown>, principal: Principal) {
    this.runtime = runtime
    this.principal = principal
    this.apiKeyId = principal.apiKeyId!
  }

  run<A, E>(effect: Effect.Effect<A, E, TestMail>) {
    return this.runtime.runPromise(effect)
  }

  /** Checks that every delivery equals the model, that the usage audit balances, and that each transition has its event. */
  async compare(model: Model) {
    const states = await this.run(Effect.forEach(this.ids, ({ deliveryIds }) => Effect.forEach(deliveryIds, delivery)))
    expect(states.map((message) => message.map(({ status, reason }) => [status, reason]))).toEqual(
      model.messages.map(({ deliveries }) => deliveries.map(({ status, reason }) => [status, reason]))
    )
    await this.run(expectBalanced)
    const { counters } = await this.run(Effect.flatMap(DeliveryLog, (log) => log.usageAudit(project)))
    const days = new Set(model.all.map(({ day }) => day))
    const expected = {
      allowance: model.allowance,
      scheduledRecipients: model.waiting(),
      ...Object.fromEntries([...days].map((day) => [`daily:${day}`, model.daily(day)]))
    }
    const existing = new Map(counters.map(({ name, value }) => [name as string, value]))
    for (const [name, value] of Object.entries(expected)) expect([name, existing.get(name) ?? 0]).toEqual([name, value])
    expect(await this.run(events)).toHaveLength(model.emitted)
  }
}

type Command = fc.AsyncCommand<Model, Real>

const command = (label: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  toString: () => label,
  run: async (model, real) => {
    await run(model, real)
    await real.compare(model)
  }
})

const codeOf = (failure: unknown): string => {
  const { kind, code, issues } = failure as { kind: string; code?: string; issues?: ReadonlyArray<{ code: string }> }
  return code ?? issues?.[0]?.code ?? kind
}

const sending = (send: Send): Command =>
  command(`send(${JSON.stringify(send)})`, async (model, real) => {
    const body = sendInput({
      to: send.to.map(addressOf),
      ...(send.aheadMinutes === null
        ? {}
        : { scheduledAt: formatInstant(model.now + send.aheadMinutes * minuteMillis) })
    })
    const expected = expectedResult(model, send, JSON.stringify(body))
    const caller = send.byKey ? real.principal : project
    const answered = await real.run(
      Effect.flatMap(Sending, (service) => Effect.result(service.send(caller, body, { idempotencyKey: send.key })))
    )
    if (typeof expected === "string") expect(Result.isFailure(answered) && codeOf(answered.failure)).toBe(expected)
    else {
      const result = Result.getOrThrow(answered)
      const known = model.messages.indexOf(expected)
      expect(result.replayed).toBe(known >= 0)
      if (known >= 0) expect(result.messageId).toBe(real.ids[known]!.messageId)
      else {
        model.messages.push(expected)
        model.emitted += expected.deliveries.filter(({ status }) => status === "suppressed").length
        real.ids.push(result)
      }
    }
  })

const onMessage = (
  label: string,
  pick: number,
  run: (model: Model, real: Real, index: number) => Promise<void>
): Command => ({
  ...command(`${label}(${pick})`, (model, real) => run(model, real, pick % model.messages.length)),
  check: (model) => model.messages.length > 0
})

const canceling = (pick: number): Command =>
  onMessage("cancel", pick, async (model, real, index) => {
    const { deliveries } = model.messages[index]!
    const answered = await real.run(
      Effect.flatMap(Sending, (service) => Effect.result(service.cancel(project, real.ids[index]!.messageId)))
    )
    const canceled = deliveries.every(({ status }) => status === "canceled")
    const possible = deliveries.every(({ status }) => status === "scheduled")
    expect(Result.isSuccess(answered)).toBe(canceled || possible)
    if (possible) for (const one of deliveries) model.end(one, "canceled", "canceled")
  })

const rescheduling = (pick: number, aheadMinutes: number): Command =>
  onMessage("reschedule", pick, async (model, real, index) => {
    const { deliveries } = model.messages[index]!
    const scheduledAt = model.now + aheadMinutes * minuteMillis
    const answered = await real.run(
      Effect.flatMap(Sending, (service) =>
        Effect.result(service.reschedule(project, real.ids[index]!.messageId, scheduledAt))
      )
    )
    const day = utcDayOf(scheduledAt)
    const possible = deliveries.every(({ status }) => status === "scheduled")
    const moving = deliveries.filter((one) => one.day !== day).length
    const fits = moving === 0 || model.daily(day) + moving <= plan.dailySends
    const expected = !possible ? "conflict" : !fits ? "daily_sending_limit_exceeded" : "done"
    expect(Result.isFailure(answered) ? codeOf(answered.failure) : "done").toBe(expected)
    if (expected === "done")
      for (const one of deliveries) {
        one.dueAt = scheduledAt
        one.day = day
      }
  })

const waiting = (minutes: number): Command =>
  command(`wait(${minutes} min)`, async (model, real) => {
    model.now += minutes * minuteMillis
    await real.run(TestClock.setTime(model.now))
  })

const ticking: Command = command("tick", async (model, real) => {
  await real.run(tick)
  const ids = new Map(
    model.messages.flatMap(({ deliveries }, message) =>
      deliveries.map((one, position) => [one, real.ids[message]!.deliveryIds[position]!] as const)
    )
  )
  const statuses = new Map<ModelDelivery, DeliveryStatus>()
  for (const [one, id] of ids) statuses.set(one, (await real.run(delivery(id))).status)
  const queuedToDead = model.all.filter(({ person, status }) => person === "dead" && status !== "bounced")
  const alreadyDead = model.suppressed.has("dead")
  model.tick((one) => statuses.get(one)!)
  const rejected = queuedToDead.filter(({ status }) => status === "bounced").length
  const spared = queuedToDead.filter(({ status, reason }) => status === "suppressed" && reason === "hard_bounce").length
  if (!alreadyDead && spared > 0) expect(rejected).toBeGreaterThan(0)
})

const suppressing = (person: Person): Command =>
  command(`suppress(${person})`, async (model, real) => {
    model.suppress(person, "manual")
    await real.run(Effect.flatMap(Suppressions, (service) => service.addReason(project, addressOf(person), "manual")))
  })

const lifting = (person: Person): Command => ({
  ...command(`removeReason(${person})`, async (model, real) => {
    model.suppressed.delete(person)
    await real.run(
      Effect.flatMap(Suppressions, (service) => service.removeReason(project, addressOf(person), "manual"))
    )
  }),
  check: (model) => model.suppressed.get(person) === "manual" && person !== "dead"
})

const revoking: Command = command("revoke", async (model, real) => {
  model.keyRevoked = true
  await real.run(Effect.flatMap(ApiKeys, (keys) => keys.revoke(real.apiKeyId)))
})

const ahead = fc.integer({ min: 1, max: (2 * dayMillis) / minuteMillis })
const person = fc.constantFrom(...people)
const send = fc.record<Send>({
  to: fc.uniqueArray(person, { minLength: 1, maxLength: 3 }),
  aheadMinutes: fc.option(ahead, { nil: null }),
  byKey: fc.boolean(),
  key: fc.constantFrom("k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8")
})

const commands = fc.commands(
  [
    send.map(sending),
    send.map(sending),
    fc.nat(9).map(canceling),
    fc.tuple(fc.nat(9), ahead).map(([pick, minutes]) => rescheduling(pick, minutes)),
    fc.integer({ min: 1, max: (30 * hourMillis) / minuteMillis }).map(waiting),
    fc.constant(ticking),
    person.map(suppressing),
    person.map(lifting),
    fc.constant(revoking)
  ],
  { maxCommands: 40, size: "max" }
)

const script = { script: [{ recipient: addressOf("dead"), acts: [{ act: "refuse" } as const] as const }] }

/** Compares random sequences of commands over a store with the model. Rejects with the shortest sequence that differs. */
export const followsModel = (store: StoreUnderTest, numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const runtime = await openTestMail(store, { plan, stub: script })
      try {
        const principal = await runtime.runPromise(
          Effect.gen(function* () {
            const issued = yield* (yield* ApiKeys).create(project, { permissions: ["email.send"] })
            return yield* (yield* Access).authenticate(Redacted.value(issued.secret))
          })
        )
        await fc.asyncModelRun(() => ({ model: new Model(), real: new Real(runtime, principal) }), sequence)
      } finally {
        await runtime.dispose()
      }
    }),
    { numRuns }
  )
