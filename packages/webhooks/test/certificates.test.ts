/**
 * Tests of the certificates that the sink trusts, over real TLS connections.
 */
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { WebhookSink } from "../src/index.ts"
import type { TestCertificate } from "./testCertificates.ts"
import { ownAuthority, usualAuthority } from "./testCertificates.ts"

const authoritiesOfNode = getCACertificates("default")
const opened: Array<() => void> = []
beforeEach(() => setDefaultCACertificates([...authoritiesOfNode, usualAuthority.cert]))
afterEach(() => {
  setDefaultCACertificates(authoritiesOfNode)
  for (const close of opened.splice(0)) close()
})

/** Posts to an endpoint with the certificate. Returns the result, or the reason why the endpoint is unavailable. */
const post = async (certificate: TestCertificate, certificates?: string) => {
  const server = createServer({ ...certificate }, (_, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  opened.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const sink = WebhookSink.make({ allowLoopback: true, ...(certificates === undefined ? {} : { certificates }) })
  const endpoint = `https://localhost:${port}/`
  return Effect.runPromise(
    sink.send({ id: "evt_1", endpoint, headers: {}, body: new Uint8Array(2) }).pipe(
      Effect.map(({ _tag }) => _tag),
      Effect.catch(({ reason }) => Effect.succeed(reason))
    )
  )
}

describe("WebhookSink.make", () => {
  it.each<[string, TestCertificate, string | undefined, string]>([
    ["posts to an endpoint of a usual authority without certificates", usualAuthority, undefined, "Accepted"],
    ["posts to an endpoint of a usual authority with certificates", usualAuthority, ownAuthority.cert, "Accepted"],
    ["posts to an endpoint of the given certificates", ownAuthority, ownAuthority.cert, "Accepted"],
    ["refuses an endpoint of an unknown authority", ownAuthority, undefined, "depth_zero_self_signed_cert"]
  ])("%s", async (_, certificate, certificates, result) => {
    expect(await post(certificate, certificates)).toBe(result)
  })
})
