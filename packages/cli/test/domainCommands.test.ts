/**
 * The commands for domains and the settings of a project, run beside a server.
 */
import { generateKeyPairSync } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { formatInstant } from "@mailkeep/core"
import { dayMillis } from "@mailkeep/core/binding"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { run, runJson } from "./commandLine.ts"
import type { RecordServer } from "./recordServer.ts"
import { openRecordServer } from "./recordServer.ts"

let server: RecordServer
beforeAll(async () => {
  server = await openRecordServer()
})
afterAll(() => server.close())

describe("the commands for records beside a running server", () => {
  it("keeps the settings of a project, and shows the DNS records of a domain to publish", async () => {
    expect(
      await runJson(["projects", "set", "prj_x", "--data", join(server.folder, "data"), "--on-ambiguous", "fail"])
    ).toMatchObject({ id: "prj_x", onAmbiguous: "fail" })
    expect((await runJson(["projects", "list", "--data", join(server.folder, "data")])).projects).toMatchObject([
      { id: "prj_x", onAmbiguous: "fail" }
    ])
    const switched = await run([
      "projects",
      "set",
      "prj_x",
      "--data",
      join(server.folder, "data"),
      "--list-unsubscribe",
      "on"
    ])
    expect(switched.stdout).toMatch(/ON AMBIGUOUS +LIST UNSUBSCRIBE\nprj_x +fail +on\n/)
    const domain = await runJson(["domains", "add", "shop.example", ...server.here, "--mail-host", "mx.shop.example"])
    expect(domain).toMatchObject({
      status: "pending",
      records: [{ purpose: "dkim" }, { value: "v=spf1 a:mx.shop.example ~all" }, {}, { type: "MX" }]
    })
    expect(JSON.stringify(domain)).not.toContain("rivate")
    expect(await runJson(["domains", "verify", domain.id, ...server.here, "--dns", "127.0.0.1:1"])).toMatchObject({
      status: "pending"
    })
    expect(await runJson(["domains", "remove", "Shop.example", ...server.here])).toEqual({
      id: domain.id,
      removed: true
    })
  })

  it("says that the project has no domain of a name, and that it has none with an id", async () => {
    const verify = (domain: string) => run(["domains", "verify", domain, ...server.here])
    expect(await verify("Unknown.example")).toEqual({
      code: 1,
      stdout: "",
      stderr: "mailkeep: The project prj_x has no domain unknown.example.\n"
    })
    expect(await verify("dom_unknown")).toMatchObject({ code: 1, stderr: "mailkeep: No domain with this ID.\n" })
  })

  it("shows what a project has used, for people and as JSON, and refuses days in the wrong order", async () => {
    const project = ["prj_used", "--data", join(server.folder, "other")]
    const inProject = [...project.slice(1), "--project", "prj_used"]
    await runJson(["domains", "add", "used.example", ...inProject, "--verified"])
    const message = ["--from", "a@used.example", "--subject", "s", "--text", "t"]
    const dayAfter = (days: number) => formatInstant(Date.now() + days * dayMillis).slice(0, 10)
    const [first, last] = [dayAfter(2), dayAfter(3)]
    await runJson(["send", ...inProject, ...message, "--to", "b@example.org", "--scheduled-at", `${first}T12:00:00Z`])
    const days = ["--start-date", first, "--end-date", last]
    const used = await runJson(["projects", "usage", ...project, ...days])
    expect(used).toEqual({
      dailySends: { used: 0 },
      sendingAllowance: { used: 0 },
      scheduledRecipients: { used: 1 },
      contacts: { used: 0 },
      days: [
        { day: first, recipients: 1 },
        { day: last, recipients: 0 }
      ]
    })
    expect((await run(["projects", "usage", ...project, ...days])).stdout).toMatch(
      /^LIMIT OR DAY +USED\n.*scheduledRecipients +1\n.*\n[\d-]+ +1\n[\d-]+ +0\n$/s
    )
    expect(await run(["projects", "usage", ...project, "--start-date", last, "--end-date", first])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("startDate")
    })
  })

  it.each(["2026-02-30", "2026-11", "2026-11-01T00:00", "1793491200000", ""])(
    "refuses the day %j of a project's usage by the flag, without the forms that only a program can give",
    async (day) => {
      for (const flag of ["--start-date", "--end-date"]) {
        const { code, stderr } = await run([
          "projects",
          "usage",
          "prj_used",
          "--data",
          join(server.folder, "other"),
          flag,
          day
        ])
        expect(code).toBe(1)
        expect(stderr).toContain(`value for flag ${flag}`)
        expect(stderr).toContain(`Expected a day that exists, such as 2026-11-01, not "${day}"`)
      }
    }
  )

  it("names the mail host in the DNS records that the first check of a domain verified without DNS makes", async () => {
    const { id, records } = await runJson(["domains", "add", "own.example", ...server.here, "--verified"])
    expect(records).toEqual([])
    const verify = ["domains", "verify", id, ...server.here, "--dns", "127.0.0.1:1", "--mail-host", "mx.own.example"]
    expect(await runJson(verify)).toMatchObject({
      status: "verified",
      records: [{ purpose: "dkim" }, { value: "v=spf1 a:mx.own.example ~all" }, {}, { value: "mx.own.example" }]
    })
  })

  it("prints the DNS record of a new DKIM key, and replaces a key that has no record in DNS", async () => {
    const { records: first } = await runJson(["domains", "add", "rotated.example", ...server.here])
    const { records, status } = await runJson(["domains", "rotate-dkim-key", "rotated.example", ...server.here])
    expect(status).toBe("pending")
    expect(first[0].name).toBe("mailkeep._domainkey.rotated.example")
    expect(records[0].name).toMatch(/^mailkeep-[0-9a-z]{8}\._domainkey\.rotated\.example$/)
    expect(records[0].value).not.toBe(first[0].value)
    expect(records.slice(1)).toEqual(first.slice(1))
  })

  it("gives a domain the DKIM key of a file, and names a file that it cannot use without its text", async () => {
    await runJson(["domains", "add", "moved.example", ...server.here])
    const file = join(server.folder, "s1.pem")
    const importKey = [
      "domains",
      "import-dkim-key",
      "moved.example",
      ...server.here,
      "--selector",
      "s1",
      "--private-key"
    ]
    const pem = { type: "pkcs1", format: "pem" } as const
    writeFileSync(file, generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export(pem))
    expect(await runJson([...importKey, file])).toMatchObject({
      records: [{ name: "s1._domainkey.moved.example" }, {}, {}, {}]
    })
    writeFileSync(file, "secret")
    const refused = await run([...importKey, file])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("privateKey must be an RSA private key of 1024 to 4096 bits in PEM")
    expect(refused.stderr).not.toContain("secret")
    const missing = await run([...importKey, `${file}.missing`])
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("cannot read")])
  })

  it("finds a domain by its name in every form that domains add takes", async () => {
    for (const name of ["b\u00fccher.example", "B\u00dcCHER.example", "xn--bcher-kva.example"]) {
      const { id } = await runJson(["domains", "add", "b\u00fccher.example", ...server.here])
      expect(await runJson(["domains", "remove", name, ...server.here])).toEqual({ id, removed: true })
    }
  })
})
