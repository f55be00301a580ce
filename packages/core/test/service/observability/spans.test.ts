import { stores, withTestMail } from "@mailkeep/test-support"
import type { Layer } from "effect"
import { Effect, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import type { MailCore } from "../../../src/index.ts"
import {
  ApiKeys,
  ContactLists,
  Contacts,
  DeliveryLog,
  Domains,
  Projects,
  Properties,
  Segments,
  Suppressions,
  Templates,
  Webhooks
} from "../../../src/index.ts"

const services: Readonly<Record<string, Effect.Effect<object, never, Layer.Success<typeof MailCore.layer>>>> = {
  ApiKeys,
  ContactLists,
  Contacts,
  DeliveryLog,
  Domains,
  Projects,
  Properties,
  Segments,
  Suppressions,
  Templates,
  Webhooks
}

describe("the spans of the services", () => {
  it.each(Object.entries(services))("runs each use case of %s in a span with its name", (serviceName, service) => {
    const names: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        names.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    return withTestMail(stores[0]!)(
      Effect.gen(function* () {
        for (const [member, call] of Object.entries(yield* service)) {
          if (typeof call !== "function") continue
          // The arguments are not valid. A call that fails has its span too.
          const called: unknown = call("", "", {})
          // A stream has no span.
          if (!Effect.isEffect(called)) continue
          yield* Effect.ignore(Effect.withTracer(called as Effect.Effect<unknown, unknown>, tracer))
          expect(names).toContain(`${serviceName}.${member}`)
        }
        expect(names).not.toEqual([])
      })
    )
  })
})
