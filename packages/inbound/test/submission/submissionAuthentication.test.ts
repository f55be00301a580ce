/**
 * AUTH of the submission listener, and its start.
 */
import { ApiKeys } from "@mailkeep/core"
import { project } from "@mailkeep/test-support"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { plainResponse, smtpClient } from "../smtpClient.ts"
import { openSubmissionTestServer } from "../submissionTestServer.ts"
import { makeSwitchedStore } from "../switchedStore.ts"
import { opened } from "./openedServer.ts"

describe("AUTH", () => {
  it.each([["PLAIN"], ["LOGIN"]])("accepts an API key as the password of the user apikey by %s", async (mechanism) => {
    const server = await opened()
    const client = await smtpClient(server.port)
    expect(await client.command("EHLO c")).toContain("250 AUTH PLAIN LOGIN")
    if (mechanism === "PLAIN") await client.command(`AUTH PLAIN ${plainResponse("apikey", server.apiKey)}`)
    else {
      expect(await client.command("AUTH LOGIN")).toBe("334 VXNlcm5hbWU6")
      expect(await client.command(Buffer.from("apikey").toString("base64"))).toBe("334 UGFzc3dvcmQ6")
      expect(await client.command(Buffer.from(server.apiKey).toString("base64"))).toBe(
        "235 2.7.0 Authentication succeeded"
      )
    }
    expect(await client.command("MAIL FROM:<a@example.com>")).toBe("250 2.1.0 Ok")
  })

  it("refuses another user, a wrong API key and a revoked API key with the same reply", async () => {
    const server = await opened()
    const revoked = await server.apiKeyWith({ name: "old" })
    await server.run(
      Effect.gen(function* () {
        const apiKeys = yield* ApiKeys
        for (const { id, name } of yield* apiKeys.list(project)) if (name === "old") yield* apiKeys.revoke(id)
      })
    )
    const replies = new Set<string>()
    for (const [user, password] of [
      ["postmaster", server.apiKey],
      ["apikey", `${server.apiKey}x`],
      ["apikey", "mk_000000000000_00000000000000000000000000000000"],
      ["apikey", revoked]
    ] as const) {
      const client = await smtpClient(server.port)
      await client.command("EHLO c")
      replies.add(await client.command(`AUTH PLAIN ${plainResponse(user, password)}`))
      expect(await client.command("MAIL FROM:<a@example.com>")).toMatch(/^530 5\.7\.0 /)
    }
    expect([...replies]).toEqual([
      "535 5.7.8 The API key is not valid. The user is apikey and the password is the API key"
    ])
  })

  it("answers with a temporary reply when the store is unavailable", async () => {
    const store = makeSwitchedStore()
    const server = await opened({}, {}, store)
    const client = await smtpClient(server.port)
    await client.command("EHLO c")
    store.fails = true
    expect(await client.command(`AUTH PLAIN ${plainResponse("apikey", server.apiKey)}`)).toMatch(/^454 4\.7\.0 /)
    store.fails = false
    expect(await client.command(`AUTH PLAIN ${plainResponse("apikey", server.apiKey)}`)).toMatch(/^235 /)
  })

  it("does not start on a host of the network without a certificate", async () => {
    await expect(openSubmissionTestServer({ host: "0.0.0.0" })).rejects.toMatchObject({
      _tag: "ListenerNotStarted",
      reason: "tls"
    })
    const noFile = () => Promise.reject(Object.assign(new Error("open mail.pem"), { code: "ENOENT" }))
    const refused = [
      [{ tls: { cert: "x", key: "y" } }, " (ERR_OSSL_PEM_NO_START_LINE)"],
      [{ tls: noFile }, " (ENOENT)"],
      [{ implicitTls: true }, ""]
    ] as const
    for (const [options, code] of refused)
      await expect(openSubmissionTestServer(options)).rejects.toMatchObject({
        reason: "certificate",
        message: `The certificate or the private key is missing or not usable${code}.`
      })
  })

  it("does not start on a port that is in use", async () => {
    const { port } = await opened()
    await expect(openSubmissionTestServer({ port })).rejects.toMatchObject({
      reason: "address",
      code: "EADDRINUSE",
      address: `127.0.0.1:${port}`,
      message: `The listener cannot use the address 127.0.0.1:${port} (EADDRINUSE).`
    })
  })
})
