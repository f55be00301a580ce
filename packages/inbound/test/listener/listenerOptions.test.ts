/**
 * What the listeners refuse as options. A wrong limit would be no limit, and a misspelled port would be any free port.
 */
import type { Access, Feedback, Sending } from "@mailkeep/core"
import { openTestMail, stores } from "@mailkeep/test-support"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { BounceListener, SmtpSubmission } from "../../src/index.ts"

type Mail = Awaited<ReturnType<typeof openTestMail>>

interface Options {
  readonly port: number
}

const listeners = [
  {
    name: "SmtpSubmission",
    portOf: (options: Options) =>
      Effect.provide(
        Effect.map(SmtpSubmission, ({ port }) => port),
        SmtpSubmission.layer(options)
      )
  },
  {
    name: "BounceListener",
    portOf: (options: Options) =>
      Effect.provide(
        Effect.map(BounceListener, ({ port }) => port),
        BounceListener.layer(options)
      )
  }
] as const

describe.each(listeners)("the options of $name", ({ name, portOf }) => {
  let mail: Mail
  beforeAll(async () => {
    mail = await openTestMail(stores[0])
  })
  afterAll(() => mail.dispose())

  const open = async (options: unknown): Promise<number> => {
    const opened: Effect.Effect<number, unknown, Access | Sending | Feedback> = portOf(options as Options)
    return mail.runPromise(opened)
  }

  it.each<[string, unknown, string]>([
    ["nothing", undefined, `The options of ${name} must be an object.`],
    ["no port", {}, "port must be a whole number from 0 to 65535."],
    ["a port as text", { port: "2525" }, "port must be a whole number from 0 to 65535."],
    ["a port that no machine has", { port: 70_000 }, "port must be a whole number from 0 to 65535."],
    ["an unknown option", { port: 0, prot: 25 }, `"prot" is not an option of ${name}. The options are `],
    ["a host that is no text", { port: 0, host: 5 }, "host must be an address or a host name."],
    ["an empty host", { port: 0, host: "" }, "host must be an address or a host name."],
    [
      "a name that the greeting cannot have",
      { port: 0, hostName: "mail example" },
      "hostName must be the name of a host in"
    ],
    [
      "a name that is not ASCII",
      { port: 0, hostName: "mail.bücher.example" },
      "hostName must be the name of a host in"
    ],
    ["a limit as text", { port: 0, messageBytesMax: "1000" }, "messageBytesMax must be a whole number from 1 to "],
    ["a time that no timer has", { port: 0, stallMillis: 2 ** 31 }, "stallMillis must be a whole number from 1 to "],
    ["a certificate that is no object", { port: 0, tls: true }, "tls must be an object."],
    ["a certificate without a key", { port: 0, tls: { cert: "x" } }, "tls.key must be PEM, as text or as bytes."],
    [
      "a certificate that is no PEM",
      { port: 0, tls: { cert: 5, key: "y" } },
      "tls.cert must be PEM, as text or as bytes."
    ],
    [
      "an unknown option of TLS",
      { port: 0, tls: { cert: "x", key: "y", minVersion: "TLSv1.3" } },
      '"minVersion" is not an option of tls. The options are cert, key.'
    ]
  ])("refuses %s", async (_, options, message) => {
    const failure = await open(options).then(
      () => undefined,
      (cause: unknown) => cause
    )
    expect(failure).toBeInstanceOf(TypeError)
    expect((failure as TypeError).message).toContain(message)
  })

  it("keeps its default for an option that is undefined", async () => {
    expect(await open({ port: 0, host: undefined, messageBytesMax: undefined, tls: undefined })).toBeGreaterThan(0)
  })
})

describe("the protocol of a bounce listener", () => {
  it("refuses another spelling, with which LMTP would be SMTP", async () => {
    const mail = await openTestMail(stores[0])
    const opened = Effect.provide(BounceListener, BounceListener.layer({ port: 0, protocol: "LMTP" as "lmtp" }))
    await expect(mail.runPromise(opened)).rejects.toThrow(new TypeError('protocol must be "smtp" or "lmtp".'))
    await mail.dispose()
  })
})
