/**
 * The addresses on which `mailkeep serve` listens: an empty one is refused, and one of IPv6 is shown so that a client can use it. An address without
 * its port is refused.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { networkInterfaces, tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { flagWithoutPort } from "../src/mailFlags.ts"
import { run, serve } from "./commandLine.ts"

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "mailkeep-addresses-"))
})
afterEach(() => rmSync(data, { recursive: true }))

const hasIpv6 = Object.values(networkInterfaces()).some((some) => some?.some(({ address }) => address === "::1"))

const noFlags = {
  smtpHost: undefined,
  smtpPort: undefined,
  bouncesHost: undefined,
  bouncesPort: undefined,
  operationsHost: undefined,
  operationsPort: undefined,
  tlsCert: undefined,
  tlsKey: undefined
}

describe("mailkeep serve", () => {
  // Without the refusal, the address of `--host` ends the command: this machine does not have it.
  it.each(["host", "smtp-host", "bounces-host", "operations-host"])(
    "refuses an empty --%s, which would be every address of the machine",
    async (flag) => {
      const elsewhere = flag === "host" ? [] : ["--host", "192.0.2.1"]
      const { code, stderr } = await run(["serve", "--data", data, "--port", "0", ...elsewhere, `--${flag}`, ""])
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(
          `Missing value for flag --${flag}. Expected an address to listen on, such as 127.0.0.1, or 0.0.0.0 for every address`
        )
      ])
    }
  )

  it("names the file of the certificate that cannot be read, and the reason", async () => {
    const [cert, key] = [join(data, "missing.pem"), join(data, "key.pem")]
    writeFileSync(key, "")
    const flags = ["--data", data, "--port", "0", "--smtp-port", "0", "--tls-cert", cert, "--tls-key", key]
    const { code, stderr } = await run(["serve", ...flags])
    expect([code, stderr]).toEqual([1, `mailkeep: cannot read ${cert}: no such file or directory\n`])
  })

  // Without the refusal, the address of `--host` ends the command: this machine does not have it.
  it.each<[string, ReadonlyArray<string>, Record<string, string>, string]>([
    [
      "--smtp-host without its port",
      ["--smtp-host", "0.0.0.0"],
      {},
      "--smtp-host (MAILKEEP_SMTP_HOST) has no effect without --smtp-port (MAILKEEP_SMTP_PORT)"
    ],
    [
      "--bounces-host beside the port of another listener",
      ["--bounces-host", "0.0.0.0", "--smtp-port", "0"],
      {},
      "--bounces-host (MAILKEEP_BOUNCES_HOST) has no effect without --bounces-port (MAILKEEP_BOUNCES_PORT)"
    ],
    [
      "the variable of --operations-host without its port",
      [],
      { MAILKEEP_OPERATIONS_HOST: "0.0.0.0" },
      "--operations-host (MAILKEEP_OPERATIONS_HOST) has no effect without --operations-port (MAILKEEP_OPERATIONS_PORT)"
    ],
    [
      "a certificate without a port for mail",
      ["--tls-cert", "cert.pem", "--operations-port", "0"],
      { MAILKEEP_TLS_KEY: "key.pem" },
      "--tls-cert (MAILKEEP_TLS_CERT) has no effect without --smtp-port (MAILKEEP_SMTP_PORT) or --bounces-port (MAILKEEP_BOUNCES_PORT)"
    ]
  ])("refuses %s, and opens no store", async (_, flags, env, problem) => {
    const { code, stderr } = await run(["serve", "--data", join(data, "new"), "--host", "192.0.2.1", ...flags], env)
    expect([code, stderr]).toEqual([1, `mailkeep: ${problem}\n`])
    expect(existsSync(join(data, "new"))).toBe(false)
  })

  it.each(["smtp", "bounces"])("takes a certificate with the port of --%s-port", (listener) => {
    const flags = { tlsCert: "cert.pem", tlsKey: "key.pem", [`${listener}Port`]: 0 }
    expect(flagWithoutPort({ ...noFlags, ...flags })).toBeUndefined()
  })

  it.runIf(hasIpv6)("shows an address of IPv6 in brackets before its port", async () => {
    const ports = ["--port", "0", "--smtp-port", "0", "--bounces-port", "0"]
    const server = await serve(["serve", "--data", data, "--host", "::1", ...ports])
    const { smtp, bounces } = server.line
    expect([smtp, bounces]).toEqual([expect.stringMatching(/^\[::1\]:\d+$/), expect.stringMatching(/^\[::1\]:\d+$/)])
    const port = new URL(`smtp://${smtp}`).port
    const taken = await run(["serve", "--data", data, "--port", "0", "--smtp-port", port, "--smtp-host", "::1"])
    expect(taken.stderr).toContain(`The listener cannot use the address [::1]:${port} (EADDRINUSE).`)
    const http = await run(["serve", "--data", data, "--host", "::1", "--port", port])
    expect(http.stderr).toContain(`cannot listen on [::1]:${port}: `)
    const operations = ["--operations-host", "::1", "--operations-port", port]
    const health = await run(["serve", "--data", data, "--port", "0", ...operations])
    expect(health.stderr).toContain(`cannot listen on [::1]:${port} for health and metrics`)
    expect(await server.kill("SIGTERM")).toBe(0)
  })
})

describe("mailkeep start", () => {
  it("shows the address of each port that it opens", async () => {
    const ports = ["--port=0", "--smtp-port=0", "--bounces-port=0", "--operations-port=0"]
    const server = await serve(["start", "--data", data, ...ports])
    expect(server.line).toMatchObject({
      smtp: expect.stringMatching(/^127\.0\.0\.1:[1-9]\d*$/),
      bounces: expect.stringMatching(/^127\.0\.0\.1:[1-9]\d*$/),
      operations: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    })
    expect(await server.kill("SIGTERM")).toBe(0)
  })
})
