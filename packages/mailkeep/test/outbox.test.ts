/**
 * The outbox table: rows that are checked when they are made, and drains that send each row once.
 */
import Database from "better-sqlite3"
import { runInNewContext } from "node:vm"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { LogEntry, Mail, MailOptions, OutboxSource, StoredOutboxRow, StubAdapter } from "../src/index.ts"
import { InvalidArgument, memory, openMail, outboxSql, stub } from "../src/index.ts"
import { sourceOfSqlite } from "./outboxSources.ts"

const message = { to: "ada@example.org", subject: "Your order", text: "Thank you." }

let db: Database.Database
let transport: StubAdapter
let mail: Mail
let log: Array<LogEntry>

const openWith = (options: Partial<MailOptions> = {}) =>
  openMail({
    store: memory(),
    transport,
    domains: ["acme.example"],
    from: "shop@acme.example",
    background: false,
    outbox: sourceOfSqlite(db),
    onLog: (entry) => log.push(entry),
    ...options
  })

const insert = ({ id, payload }: { readonly id: string; readonly payload: string }) =>
  db.prepare(outboxSql.sqlite.insert).run(id, payload)

const rows = () =>
  db.prepare("SELECT id, reason FROM mailkeep_outbox ORDER BY id").all() as ReadonlyArray<{
    readonly id: string
    readonly reason: string | null
  }>

const subjects = () => transport.captured().map((one) => one.message.subject)

beforeEach(async () => {
  db = new Database(":memory:")
  db.exec(outboxSql.sqlite.createTable)
  transport = stub()
  log = []
  mail = await openWith()
})

afterEach(async () => {
  await mail.close()
  db.close()
})

describe("outbox.row", () => {
  it("makes rows whose ids are UUIDs of version 7 in the order of their times", () => {
    const ids = Array.from({ length: 50 }, () => mail.outbox.row(message).id)
    expect(new Set(ids).size).toBe(50)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(ids.map((id) => id.slice(0, 13))).toEqual(ids.map((id) => id.slice(0, 13)).toSorted())
  })

  it("throws the issues of a send with a wrong form, so that the transaction of the product fails", () => {
    const order = db.transaction((to: string) => insert(mail.outbox.row({ ...message, to })))
    expect(() => order("nobody")).toThrow(InvalidArgument)
    expect(() => mail.outbox.row({ ...message, idempotencyKey: "a key" })).toThrow(InvalidArgument)
    expect(() => mail.outbox.row(null as never)).toThrow(InvalidArgument)
    expect(() => mail.project("a project!").outbox.row(message)).toThrow(InvalidArgument)
    expect(rows()).toEqual([])
  })

  it.each<[string, object, string]>([
    ["a number of the metadata that JSON does not have", { metadata: { total: Number.NaN } }, "metadata"],
    ["a date in the metadata", { metadata: { at: new Date(0) } }, "metadata"],
    ["a large integer in the metadata", { metadata: { total: 1n } }, "metadata"],
    ["metadata that contains itself", { metadata: ((own: { own?: object }) => (own.own = own))({}) }, "metadata"],
    ["a function as an address", { cc: () => "bob@example.org" }, "cc"],
    ["a field that no send has", { sender: () => "bob@example.org" }, "sender"],
    ["the Headers of fetch", { headers: new Headers({ "X-Order": "7" }) }, "headers"],
    ["the content of a file in the form of a row", { attachments: [{ filename: "a.txt", base64: "YQ==" }] }, "base64"]
  ])("refuses %s, as a send does, because JSON would change it", async (_, change, field) => {
    const input = { ...message, ...change } as never
    const issues = await mail.send(input).catch((cause: InvalidArgument) => cause.issues)
    expect(issues).toEqual(expect.arrayContaining([expect.objectContaining({ path: expect.arrayContaining([field]) })]))
    expect(() => mail.outbox.row(input)).toThrow(expect.objectContaining({ _tag: "InvalidArgument", issues }))
  })

  it("refuses a file by its path", () => {
    const withPath = { ...message, attachments: [{ path: "a.pdf" }] }
    expect(() => mail.outbox.row(withPath)).toThrow("attachments[0].path is not allowed in an outbox")
  })
})

describe("outbox.drain", () => {
  it("sends what committed and not what rolled back, and removes it", async () => {
    const order = db.transaction((subject: string, fails: boolean) => {
      insert(mail.outbox.row({ ...message, subject }))
      if (fails) throw new Error("no stock")
    })
    order("First", false)
    expect(() => order("Second", true)).toThrow("no stock")
    expect(await mail.outbox.drain()).toEqual({ accepted: 1, refused: 0, left: 0 })
    await mail.tick()
    expect(subjects()).toEqual(["First"])
    expect(rows()).toEqual([])
  })

  it("keeps bytes, texts, times and options of a send", async () => {
    const bytes = new Uint8Array([0, 255, 10, 13])
    insert(
      mail.outbox.row({
        ...message,
        attachments: [
          { filename: "a.bin", content: bytes },
          { filename: "b.txt", content: "Grüße" },
          { filename: "c.bin", content: runInNewContext("new Uint8Array([7])") as Uint8Array } // of another realm
        ],
        headers: { "X-Order": "17" },
        expiresAt: new Date(Date.now() + 3_600_000)
      })
    )
    await mail.tick()
    const [sent] = transport.captured()
    expect(sent?.message.headers).toMatchObject({ "X-Order": "17" })
    const [list] = [(await mail.deliveries.list()).items]
    const detail = await mail.deliveries.get(list[0]!.id)
    expect(detail.message.attachments.map(({ filename, size }) => [filename, size])).toEqual([
      ["a.bin", 4],
      ["b.txt", 7],
      ["c.bin", 1]
    ])
  })

  it("marks a refused row with the reason, and continues with the others", async () => {
    insert(mail.outbox.row({ ...message, from: "hi@other.example" }))
    db.prepare(outboxSql.sqlite.insert).run("damaged", "{")
    db.prepare(outboxSql.sqlite.insert).run("foreign", '{"version":9}')
    insert(mail.outbox.row(message))
    expect(await mail.outbox.drain()).toEqual({ accepted: 1, refused: 3, left: 0 })
    const reasons = rows().map(({ reason }) => reason)
    expect(reasons).toHaveLength(3)
    expect(reasons.join("\n")).toContain("The sender domain is not a verified domain of this project.")
    expect(reasons.join("\n")).not.toContain("other.example")
    expect(await mail.outbox.drain()).toEqual({ accepted: 0, refused: 0, left: 0 })
  })

  it("leaves a row that can succeed later, and sends the rows behind it", async () => {
    await mail.close()
    mail = await openWith({ plan: (projectId) => (projectId === "prj_full" ? { dailySends: 0 } : {}) })
    const full = mail.project("prj_full", { from: "hi@full.example" })
    await full.domains.ensure({ domain: "full.example", verified: true })
    for (let n = 0; n < 40; n++) insert(full.outbox.row(message))
    insert(mail.outbox.row(message))
    expect(await mail.outbox.drain()).toEqual({ accepted: 1, refused: 0, left: 40 })
    expect(rows()).toHaveLength(40)
  })

  it("logs a bug once, however many rows it leaves", async () => {
    await mail.close()
    mail = await openWith({
      plan: () => {
        throw new RangeError("a mistake")
      }
    })
    log.length = 0
    for (let n = 0; n < 40; n++) insert(mail.outbox.row(message))
    expect(await mail.outbox.drain()).toEqual({ accepted: 0, refused: 0, left: 40 })
    expect(log.map(({ message }) => message)).toEqual(["The plan source failed.", expect.stringContaining("outbox")])
    for (const { fields } of log) expect(fields).toMatchObject({ error: "RangeError" })
  })

  it("sends each row once when the removal fails and when several drains run at once", async () => {
    const source = sourceOfSqlite(db)
    let failures = 1
    const failing: OutboxSource = {
      ...source,
      remove: (ids) => {
        if (failures-- > 0) throw new Error("connection lost")
        return source.remove(ids)
      }
    }
    await mail.close()
    mail = await openWith({ outbox: failing })
    for (let n = 0; n < 100; n++) insert(mail.outbox.row(message))
    await expect(mail.outbox.drain()).rejects.toThrow("connection lost")
    await Promise.all([mail.outbox.drain(), mail.outbox.drain(), mail.outbox.drain()])
    expect(rows()).toEqual([])
    while ((await mail.tick()).deliveries.handedOver > 0);
    expect(subjects()).toHaveLength(100)
  })

  it("sends two rows with one idempotency key once", async () => {
    insert(mail.outbox.row({ ...message, idempotencyKey: "order-1" }))
    insert(mail.outbox.row({ ...message, idempotencyKey: "order-1" }))
    expect(await mail.outbox.drain()).toEqual({ accepted: 2, refused: 0, left: 0 })
    await mail.tick()
    expect(subjects()).toHaveLength(1)
  })

  it("sends a message now whose scheduled time has passed in the outbox, also after a drain that was lost", async () => {
    const scheduled = mail.outbox.row({ ...message, scheduledAt: new Date(Date.now() + 3_600_000) })
    const inPast = scheduled.payload.replace(/"scheduledAt":"[^"]+"/, '"scheduledAt":"2026-01-01T00:00:00.000Z"')
    insert({ id: scheduled.id, payload: inPast })
    expect(await mail.outbox.drain()).toEqual({ accepted: 1, refused: 0, left: 0 })
    insert({ id: scheduled.id, payload: inPast })
    expect(await mail.outbox.drain()).toEqual({ accepted: 1, refused: 0, left: 0 })
    await mail.tick()
    expect(subjects()).toHaveLength(1)
  })

  it("sends a scheduled message at its time", async () => {
    insert(mail.outbox.row({ ...message, scheduledAt: new Date(Date.now() + 3_600_000) }))
    await mail.tick()
    expect((await mail.deliveries.list()).items.map(({ status }) => status)).toEqual(["scheduled"])
  })

  it("refuses a scheduled message that expires before its time, and does not send it now", async () => {
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000)
    insert(mail.outbox.row({ ...message, scheduledAt: inHours(24), expiresAt: inHours(1) }))
    expect(await mail.outbox.drain()).toEqual({ accepted: 0, refused: 1, left: 0 })
    expect((await mail.deliveries.list()).items).toEqual([])
    expect(rows()).toEqual([expect.objectContaining({ reason: expect.stringContaining("expiresAt") })])
  })

  it("keeps the rows and rejects when the store is closed meanwhile", async () => {
    insert(mail.outbox.row(message))
    await mail.close()
    await expect(mail.outbox.drain()).rejects.toMatchObject({ reason: "closed" })
    expect(rows()).toHaveLength(1)
  })

  it.each<[string, (row: StoredOutboxRow) => unknown]>([
    ["the whole result of a client", (row) => ({ rows: [row] })],
    ["rows beside the descriptions of the columns", (row) => [[row], [{ name: "id" }]]],
    ["rows without an id", ({ payload }) => [{ payload }]],
    ["rows with other names", ({ id, payload }) => [{ id, PAYLOAD: payload }]],
    ["nothing", () => undefined]
  ])("rejects, and sends and marks nothing, when the product returns %s", async (_, taken) => {
    insert(mail.outbox.row(message))
    const source = sourceOfSqlite(db)
    const wrong = { ...source, take: async (...page) => taken((await source.take(...page))[0]!) } as OutboxSource
    const other = await openWith({ outbox: wrong })
    await expect(other.outbox.drain()).rejects.toThrow("outbox.take must return a list of the rows")
    expect((await other.deliveries.list()).items).toEqual([])
    await other.close()
    expect(rows()).toEqual([expect.objectContaining({ reason: null })])
  })

  it("rejects when a page that the product returns does not continue after the last row", async () => {
    await mail.close()
    for (let n = 0; n < 32; n++) insert(mail.outbox.row(message))
    const source = sourceOfSqlite(db)
    let calls = 0
    const firstPage: OutboxSource["take"] = (_, limit) => {
      if (++calls > 5) throw new Error("The drain does not end.")
      return source.take("", limit)
    }
    mail = await openWith({ plan: { dailySends: 0 }, outbox: { ...source, take: firstPage } })
    await expect(mail.outbox.drain()).rejects.toThrow("after the given id")
    expect(rows()).toHaveLength(32)
  })

  it("rejects without the option outbox", async () => {
    const without = await openWith({ outbox: undefined })
    await expect(without.outbox.drain()).rejects.toThrow("`outbox`")
    await without.close()
  })

  it("hands over in the same tick, and does the rest of the tick when the database fails", async () => {
    insert(mail.outbox.row(message))
    expect((await mail.tick()).outbox).toEqual({ accepted: 1, refused: 0, left: 0 })
    expect(subjects()).toHaveLength(1)
    await mail.send({ ...message, subject: "Direct" })
    db.exec("DROP TABLE mailkeep_outbox")
    await expect(mail.tick()).rejects.toThrow("no such table")
    expect(subjects()).toEqual(["Your order", "Direct"])
  })

  it("runs in the background, warns once when the database fails and continues after it", async () => {
    await mail.close()
    log.length = 0
    insert(mail.outbox.row(message))
    let captured = () => {}
    const arrived = new Promise<void>((resolve) => (captured = resolve))
    transport = stub({ onCaptured: () => captured() })
    let failures = 1
    const source = sourceOfSqlite(db)
    const flaky: OutboxSource = {
      ...source,
      take: (...page) => {
        if (failures-- > 0) throw new Error("password of the database")
        return source.take(...page)
      }
    }
    mail = await openWith({ background: true, outbox: flaky })
    await arrived
    expect(rows()).toEqual([])
    expect(log.map(({ message: text }) => text)).toEqual(["The outbox cannot be drained. Its mail waits."])
    expect(JSON.stringify(log)).not.toContain("password")
  })

  it("logs no address from the name of the error of the database", async () => {
    await mail.close()
    log.length = 0
    const warned = Promise.withResolvers<void>()
    const take = () => {
      throw Object.assign(new Error("refused"), { name: "No row for ada@example.org" })
    }
    mail = await openWith({
      background: true,
      outbox: { ...sourceOfSqlite(db), take },
      onLog: (entry) => {
        log.push(entry)
        warned.resolve()
      }
    })
    await warned.promise
    expect(log.map(({ fields }) => fields)).toEqual([expect.objectContaining({ error: "Error" })])
    expect(JSON.stringify(log)).not.toContain("ada@example.org")
  })
})
