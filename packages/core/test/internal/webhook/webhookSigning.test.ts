import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { printWebhookSecret, signedHeaders } from "../../../src/internal/webhook/webhookSigning.ts"
import * as NodeCrypto from "../../../src/node/NodeCrypto.ts"
import { Crypto } from "../../../src/port/Crypto.ts"

const crypto = Effect.runSync(Effect.scoped(Effect.map(Layer.build(NodeCrypto.layer), Context.get(Crypto))))

describe("the signature of an event delivery", () => {
  it("matches the example of the specification", () => {
    const headers = signedHeaders(crypto, ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: 1614265330,
      body: '{"test": 2432232314}'
    })
    expect(headers).toEqual({
      "content-type": "application/json",
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    })
  })

  it("has one signature for each secret, separated by a space", () => {
    const secret = printWebhookSecret(new Uint8Array(32).fill(7))
    const { "webhook-signature": both } = signedHeaders(crypto, [secret, secret], { id: "a", timestamp: 1, body: "" })
    expect(both!.split(" ")).toHaveLength(2)
  })
})
