/**
 * Which files the listeners of the command read their certificate from, and when.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { certificateOf } from "../src/certificateFiles.ts"

const folder = mkdtempSync(join(tmpdir(), "mailkeep-certificate-"))
afterAll(() => rmSync(folder, { recursive: true }))
const [tlsCert, tlsKey] = [join(folder, "cert.pem"), join(folder, "key.pem")]

const text = (bytes: string | Uint8Array) => Buffer.from(bytes).toString()

describe("certificateOf", () => {
  it("reads both files each time that a listener asks", async () => {
    writeFileSync(tlsCert, "first certificate")
    writeFileSync(tlsKey, "first key")
    const { tls } = await Effect.runPromise(certificateOf({ tlsCert, tlsKey }))
    const asked = async () => {
      const { cert, key } = await tls!()
      return [text(cert), text(key)]
    }
    expect(await asked()).toEqual(["first certificate", "first key"])
    writeFileSync(tlsCert, "renewed certificate")
    writeFileSync(tlsKey, "renewed key")
    expect(await asked()).toEqual(["renewed certificate", "renewed key"])
    rmSync(tlsKey)
    await expect(asked()).rejects.toMatchObject({ code: "ENOENT" })
  })

  it("fails with the path of a file that cannot be read at the start", async () => {
    writeFileSync(tlsCert, "certificate")
    const missing = join(folder, "none.pem")
    for (const files of [
      { tlsCert: missing, tlsKey: tlsCert },
      { tlsCert, tlsKey: missing }
    ])
      expect(await Effect.runPromise(Effect.flip(certificateOf(files)))).toMatchObject({
        message: `cannot read ${missing}: no such file or directory`
      })
  })

  it("needs both files or none", async () => {
    expect(await Effect.runPromise(certificateOf({ tlsCert: undefined, tlsKey: undefined }))).toEqual({})
    for (const files of [
      { tlsCert, tlsKey: undefined },
      { tlsCert: undefined, tlsKey }
    ])
      expect(await Effect.runPromise(Effect.flip(certificateOf(files)))).toMatchObject({
        _tag: "CertificateIncomplete"
      })
  })
})
