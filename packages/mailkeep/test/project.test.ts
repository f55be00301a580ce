/**
 * The handles of projects.
 */
import { generateKeyPairSync } from "node:crypto"
import { describe, expect, expectTypeOf, it } from "vitest"
import type { EmbeddedProject, Mail, ProjectHandle } from "../src/index.ts"
import { ApiKeyNotFound, InvalidArgument, stub } from "../src/index.ts"
import { all, openQuiet, rejection, welcome } from "./testMail.ts"

const inOneHour = () => new Date(Date.now() + 3_600_000)

describe("a project handle", () => {
  it("has everything that a client over HTTP has", async () => {
    expectTypeOf<EmbeddedProject>().toExtend<ProjectHandle>()
    expectTypeOf<Mail>().toExtend<EmbeddedProject>()
    const mail = await openQuiet()
    const sendWith = (handle: ProjectHandle) => handle.send(welcome)
    expect((await sendWith(mail)).totalQueued).toBe(1)
  })

  it.each([
    [{ form: "hi@acme.example" }, '"form" is not an option of a project handle. The options are from.'],
    [{ from: 5 }, 'from must be a sender, such as Acme <hi@acme.example> or "Acme, Inc." <hi@acme.example>.'],
    ["hi@acme.example", "The options of a project handle must be an object."],
    [new Map(), "The options of a project handle must be an object."]
  ])("refuses the settings %j", async (settings, message) => {
    const mail = await openQuiet()
    expect(() => mail.project("prj_a", settings as never)).toThrow(new TypeError(message))
  })

  it.each([undefined, null, 5, { id: "prj_a" }, { projectId: "prj_a" }])("refuses %j as an id", async (id) => {
    const mail = await openQuiet()
    const failure = await rejection((async () => mail.project(id as never))())
    expect(failure).toBeInstanceOf(InvalidArgument)
    expect(failure).toMatchObject({ argument: "ids", issues: [{ path: ["projectId"], code: "invalid_type" }] })
  })

  it("uses its default sender only for messages without one", async () => {
    const transport = stub()
    const mail = await openQuiet({ transport, from: "Acme <hi@acme.example>" })
    const { from, ...unsigned } = welcome
    await mail.send(unsigned)
    await mail.sendBatch({ messages: [unsigned, { ...unsigned, from: "Other <other@acme.example>" }] })
    await mail.tick()
    expect(transport.captured().map(({ message }) => message.from.address)).toEqual([
      "hi@acme.example",
      "hi@acme.example",
      "other@acme.example"
    ])
    expect((await mail.plan(unsigned)).content?.fromName).toBe("Acme")
    expect(from).toBe("Acme <hi@acme.example>")
  })

  it("takes the options of a send in the same object", async () => {
    const transport = stub()
    const mail = await openQuiet({ transport })
    const sent = await mail.send({ ...welcome, headers: { "List-Id": "<acme.example>" }, idempotencyKey: "a" })
    await mail.tick()
    expect((await mail.deliveries.get(sent.deliveryIds[0]!)).message).toMatchObject({
      headers: { "List-Id": "<acme.example>" },
      idempotencyKey: "a"
    })
    expect(await rejection(mail.send({ ...welcome, onAmbiguous: "never" as "retry" }))).toMatchObject({
      issues: [{ path: ["onAmbiguous"] }]
    })
  })

  it("gives each message of a batch its result in the form of Promise.allSettled", async () => {
    const mail = await openQuiet()
    const batch = { messages: [welcome, { ...welcome, to: "no address" }], idempotencyKey: "batch" }
    const [accepted, refused] = await mail.sendBatch(batch)
    expect(accepted).toMatchObject({ status: "fulfilled", value: { totalQueued: 1, replayed: false } })
    expect(refused).toMatchObject({ status: "rejected", reason: expect.any(InvalidArgument) })
    expect((await mail.sendBatch(batch))[0]).toMatchObject({ value: { replayed: true } })
  })

  it("schedules with a Date, reschedules and cancels", async () => {
    const mail = await openQuiet()
    const { messageId, deliveryIds } = await mail.send({ ...welcome, scheduledAt: inOneHour() })
    const later = inOneHour()
    expect((await mail.reschedule(messageId, later)).scheduledAt).toBe(later.getTime())
    expect((await mail.cancel(messageId)).deliveryIds).toEqual(deliveryIds)
    expect(await rejection(mail.reschedule(messageId, later))).toMatchObject({ _tag: "MessageNotScheduled" })
  })

  it("reads long lists page by page", async () => {
    const mail = await openQuiet()
    for (let n = 0; n < 3; n++)
      await mail.sendBatch({
        messages: Array.from({ length: 50 }, (_, at) => ({ ...welcome, to: `p${n}-${at}@example.org` }))
      })
    const deliveries = await all(mail.deliveries.each())
    expect(new Set(deliveries.map(({ recipient }) => recipient)).size).toBe(150)
    expect((await all(mail.deliveries.each({ recipient: "p1-7@example.org" }))).length).toBe(1)
    await Promise.all(Array.from({ length: 120 }, (_, n) => mail.lists.create({ name: `List ${n}` })))
    expect(new Set((await all(mail.lists.each())).map(({ name }) => name)).size).toBe(120)
    await Promise.all(deliveries.map(({ recipient }) => mail.suppressions.addReason(recipient, "manual")))
    expect((await all(mail.suppressions.each({ search: "p2-" }))).length).toBe(50)
  })

  it("manages contacts, lists, properties and segments", async () => {
    const mail = await openQuiet()
    await mail.properties.create({ key: "plan", type: "string" })
    const ada = await mail.contacts.create({ email: "ada@example.org", properties: { plan: "pro" } })
    const friends = await mail.lists.create({ name: "Friends" })
    await mail.lists.addContact(friends.id, ada.id)
    const filter = { field: "properties.plan", op: "eq", value: "pro" } as const
    const pro = await mail.segments.create({ name: "Pro", filter })
    expect((await mail.contacts.list({ segmentId: pro.id, listId: friends.id })).total).toBe(1)
    expect(await mail.contacts.get(ada.id)).toMatchObject({ properties: { plan: "pro" }, listIds: [friends.id] })
    expect((await mail.contacts.findByEmail("ADA@example.org"))?.id).toBe(ada.id)
    await mail.contacts.update(ada.id, { email: ada.email, emailStatus: "unsubscribed" })
    expect((await all(mail.suppressions.each())).map(({ reason }) => reason)).toEqual(["unsubscribed"])
    expect(await mail.suppressions.removeReason(ada.email, "unsubscribed")).toBeNull()
    await mail.lists.removeContact(friends.id, ada.id)
    await mail.contacts.delete(ada.id)
    expect(await rejection(mail.contacts.get(ada.id))).toMatchObject({ _tag: "ContactNotFound" })
  })

  it("imports rows of a product and exports them again", async () => {
    const mail = await openQuiet()
    const rows = async function* () {
      yield { line: 1, cells: ["email", "first_name"] }
      yield { line: 2, cells: ["ada@example.org", "Ada"] }
      yield { line: 3, cells: ["no address", "Nobody"] }
    }
    const outcomes = await all(mail.contacts.importRows(rows(), { update: true }))
    expect(outcomes.toSorted((a, b) => a.line - b.line).map(({ outcome }) => outcome)).toEqual(["created", "refused"])
    expect((await all(mail.contacts.each())).map(({ firstName }) => firstName)).toEqual(["Ada"])
    const [columns = [], ...exported] = await all(mail.contacts.exportRows())
    expect(exported.map((cells) => cells[columns.indexOf("email")])).toEqual(["ada@example.org"])
  })

  it.each([
    ["undefined", undefined],
    ["null", null],
    ["a number", 5],
    ["a text", "email"],
    ["a promise of rows", Promise.resolve([{ line: 1, cells: ["email"] }])],
    ["one row", { line: 1, cells: ["email"] }],
    ["a function", () => []]
  ])("refuses to import %s", async (_, rows) => {
    const mail = await openQuiet()
    const failure = await rejection(all(mail.contacts.importRows(rows as never)))
    expect(failure).toBeInstanceOf(InvalidArgument)
    expect(failure).toMatchObject({ argument: "input", issues: [{ path: ["rows"], code: "invalid_type" }] })
  })

  it("rejects an import with the failure of the product's own rows", async () => {
    const mail = await openQuiet()
    const bug = new Error("The file ended.")
    const rows = async function* () {
      yield { line: 1, cells: ["email"] }
      throw bug
    }
    expect(await rejection(all(mail.contacts.importRows(rows())))).toBe(bug)
  })

  it("sends from a template that it ensured", async () => {
    const transport = stub()
    const mail = await openQuiet({ transport })
    const template = { alias: "receipt", name: "Receipt", subject: "Order {{order}}", text: "Thank you." }
    const variables = [{ key: "order", type: "string", required: true }] as const
    const { published } = await mail.templates.ensure({ ...template, variables })
    expect((await mail.templates.ensure({ ...template, variables })).published.id).toBe(published.id)
    const { from, to } = welcome
    await mail.send({ from, to, templateId: "receipt", templateVariables: { order: "1042" } })
    await mail.tick()
    expect(transport.captured()[0]!.message.subject).toBe("Order 1042")
    expect((await all(mail.templates.each())).map(({ alias }) => alias)).toEqual(["receipt"])
  })

  it("creates a webhook with a readable secret, and replaces the secret", async () => {
    const mail = await openQuiet()
    const { webhook, secret } = await mail.webhooks.create({ url: "https://hooks.example.net/mail" })
    const rotated = await mail.webhooks.rotateSecret(webhook.id)
    expect([secret, rotated.secret]).toEqual([expect.stringMatching(/^whsec_/), expect.stringMatching(/^whsec_/)])
    expect(rotated.secret).not.toBe(secret)
    expect(await all(mail.webhooks.eachEventDelivery(webhook.id))).toEqual([])
  })

  it("explains a delivery and erases a person", async () => {
    const mail = await openQuiet()
    const { deliveryIds } = await mail.send(welcome)
    await mail.tick()
    const { entries } = await mail.deliveries.explain(deliveryIds[0]!)
    expect(entries.length).toBeGreaterThan(1)
    for (const { text } of entries) expect(text).toMatch(/\.$/)
    await mail.contacts.erase("ada@example.org")
    expect(JSON.stringify(await all(mail.deliveries.each()))).not.toContain("ada@example.org")
  })

  it("records a report of another system and counts usage", async () => {
    const mail = await openQuiet()
    const { deliveryIds } = await mail.send(welcome)
    await mail.tick()
    const report = { kind: "bounced", smtpCode: 550, enhancedCode: "5.1.1", text: "User unknown" } as const
    await mail.feedback.report(deliveryIds[0]!, report)
    expect((await mail.deliveries.get(deliveryIds[0]!)).status).toBe("bounced")
    expect((await mail.usageAudit()).charged).toBe(1)
    expect((await mail.usage()).sendingAllowance).toEqual({ used: 1, limit: null })
    expect((await mail.events.list()).map(({ kind }) => kind)).toContain("email.bounced")
  })
})

describe("project", () => {
  it("writes nothing until the handle is used", async () => {
    const mail = await openQuiet()
    const tenant = mail.project("prj_b")
    expect((await mail.projects.list()).map(({ id }) => id)).toEqual(["default"])
    await tenant.domains.ensure({ domain: "tenant.example", verified: true })
    expect((await mail.projects.list()).map(({ id }) => id)).toEqual(["default", "prj_b"])
    expect(await mail.projects.update("prj_b", { onAmbiguous: "fail" })).toMatchObject({ onAmbiguous: "fail" })
  })

  it("deletes a project with its records, and lets its id be used again", async () => {
    const mail = await openQuiet()
    const tenant = mail.project("prj_b")
    await tenant.domains.ensure({ domain: "tenant.example", verified: true })
    const message = { from: "hi@tenant.example", to: "ada@example.org", subject: "Hi", text: "Hi" }
    await tenant.send(message)
    expect(await mail.projects.delete("prj_b")).toMatchObject({ isComplete: true, deleted: { Message: 1, Project: 1 } })
    expect((await mail.projects.list()).map(({ id }) => id)).toEqual(["default"])
    await expect(tenant.send(message)).rejects.toMatchObject({ _tag: "SenderDomainNotVerified" })
    await tenant.domains.ensure({ domain: "tenant.example", verified: true })
    expect(await tenant.send(message)).toMatchObject({ totalQueued: 1 })
    await expect(mail.projects.delete("no project")).rejects.toMatchObject({ _tag: "InvalidArgument" })
  })

  it("defines properties, lists and segments again without a failure", async () => {
    const tenant = (await openQuiet()).project("prj_b")
    const filter = { field: "properties.plan", op: "eq", value: "pro" } as const
    const start = async () => [
      await tenant.properties.ensure({ key: "plan", type: "string" }),
      await tenant.lists.ensure({ name: "News" }),
      await tenant.segments.ensure({ name: "Pro", filter })
    ]
    expect(await start()).toEqual(await start())
    expect((await all(tenant.segments.each())).map(({ name }) => name)).toEqual(["Pro"])
  })

  it("gives a second project with the same domain a DKIM record of its own", async () => {
    const mail = await openQuiet({ mailHost: "mx.acme.example" })
    const tenant = mail.project("prj_b")
    const nameOf = (records: ReadonlyArray<{ readonly purpose: string; readonly name: string }>) =>
      records.flatMap(({ purpose, name }) => (purpose === "dkim" ? [name] : []))
    const { id, records } = await mail.domains.ensure({ domain: "shop.example" })
    const other = await tenant.domains.ensure({ domain: "shop.example" })
    expect(nameOf(other.records)).toEqual(nameOf(records))
    const rotated = await tenant.domains.rotateDkimKey(other.id)
    expect(nameOf(rotated.records)).toEqual([expect.stringMatching(/^mailkeep-\w{8}\._domainkey\.shop\.example$/)])
    expect(await rejection(tenant.domains.rotateDkimKey(id))).toMatchObject({ _tag: "RecordNotFound" })
  })

  it("signs with a DKIM key that the product brings", async () => {
    const mail = await openQuiet()
    const { id } = await mail.domains.ensure({ domain: "shop.example" })
    const pem = { type: "pkcs8", format: "pem" } as const
    const privateKey = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export(pem) as string
    const { records } = await mail.domains.importDkimKey(id, { selector: "s1", privateKey })
    expect(records.map(({ name }) => name)).toContain("s1._domainkey.shop.example")
    const wrong = mail.domains.importDkimKey(id, { selector: "s1", privateKey: "no key" })
    expect(await rejection(wrong)).toMatchObject({
      message: expect.stringContaining("privateKey must be an RSA private key of 1024 to 4096 bits in PEM")
    })
  })

  it("keeps the records of projects apart", async () => {
    const mail = await openQuiet()
    const tenant = mail.project("prj_b", { from: "hi@tenant.example" })
    await tenant.domains.ensure({ domain: "tenant.example", verified: true })
    const mine = await mail.send(welcome)
    await tenant.send({ to: "ada@example.org", subject: "Hello", text: "Hello." })
    const contact = await mail.contacts.create({ email: "ada@example.org" })
    expect((await all(tenant.deliveries.each())).map(({ subject }) => subject)).toEqual(["Hello"])
    expect(await rejection(tenant.deliveries.get(mine.deliveryIds[0]!))).toMatchObject({ _tag: "DeliveryNotFound" })
    expect(await rejection(tenant.cancel(mine.messageId))).toMatchObject({ _tag: "MessageNotFound" })
    expect(await rejection(tenant.contacts.get(contact.id))).toMatchObject({ _tag: "ContactNotFound" })
    expect(await rejection(tenant.send(welcome))).toMatchObject({ _tag: "SenderDomainNotVerified" })
  })

  it("lists and revokes only its own API keys", async () => {
    const mail = await openQuiet()
    const { apiKey, secret } = await mail.apiKeys.create({ permissions: ["email.send"] })
    expect(secret).toMatch(/^mk_/)
    const tenant = mail.project("prj_b")
    expect(await tenant.apiKeys.list()).toEqual([])
    expect(await rejection(tenant.apiKeys.revoke(apiKey.id))).toBeInstanceOf(ApiKeyNotFound)
    expect((await mail.apiKeys.list())[0]!.revokedAt).toBeNull()
    expect((await mail.apiKeys.revoke(apiKey.id)).revokedAt).not.toBeNull()
  })

  it("refuses an id of another form with the first call", async () => {
    const mail = await openQuiet()
    expect(await rejection(mail.project("../other").send(welcome))).toBeInstanceOf(InvalidArgument)
  })
})
