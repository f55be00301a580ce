/**
 * An import that updates contacts, while others change or delete the same contacts.
 */
import { setImmediate as immediate } from "node:timers/promises"
import { openTestMail, project, stores } from "@mailkeep/test-support"
import { Effect, Fiber, Layer, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { MailStoreShape } from "../../../src/adapter.ts"
import { ContactFiles, Contacts, MailStore, Properties } from "../../../src/index.ts"

type Read = MailStoreShape["read"]

/** Opens a core whose store calls `beforeRead` before each read, and `beforeCommit` before each commit. */
const openWith = (
  { name, layer }: (typeof stores)[number],
  beforeRead: (...args: Parameters<Read>) => Effect.Effect<void>,
  beforeCommit: Effect.Effect<void> = Effect.void
) =>
  openTestMail({
    name,
    layer: Layer.effect(
      MailStore,
      Effect.map(MailStore, (inner) => ({
        ...inner,
        read: ((queries) => Effect.andThen(beforeRead(queries), inner.read(queries))) as Read,
        commit: (changes) => Effect.andThen(beforeCommit, inner.commit(changes))
      }))
    ).pipe(Layer.provide(layer))
  })

const importOf = (...rows: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.flatMap(ContactFiles, (files) =>
    Stream.runCollect(
      files.importRows(project, Stream.fromIterable(rows.map((cells, n) => ({ line: n + 1, cells }))), { update: true })
    )
  )

describe.each(stores)("an import that updates contacts, over $name", (store) => {
  it("keeps the properties that another import writes at the same time", async () => {
    const runtime = await openWith(store, () => Effect.yieldNow)
    const people = Array.from({ length: 10 }, (_, n) => `person${n}@example.org`)
    const details = await runtime.runPromise(
      Effect.gen(function* () {
        const [properties, contacts] = [yield* Properties, yield* Contacts]
        for (const key of ["plan", "city"]) yield* properties.create(project, { key, type: "string" })
        yield* importOf(["email", "plan"], ...people.map((email) => [email, "free"]))
        yield* Effect.all(
          [
            importOf(["email", "plan"], ...people.map((email) => [email, "gold"])),
            importOf(["email", "city"], ...people.map((email) => [email, "Rome"]))
          ],
          { concurrency: "unbounded" }
        )
        const { items } = yield* contacts.list(project)
        return yield* Effect.forEach(items, ({ id }) => contacts.get(project, id))
      })
    )
    await runtime.dispose()
    expect(details.map(({ properties }) => properties)).toEqual(people.map(() => ({ plan: "gold", city: "Rome" })))
  })

  it("gives a contact what its last row says, also when the store is slow for an earlier row", async () => {
    let reads = 0
    const slowly = Effect.promise(async () => {
      for (let turn = 0; turn < 50; turn++) await immediate()
    })
    const runtime = await openWith(store, (queries) =>
      Effect.suspend(() =>
        queries.some(({ _tag }) => _tag === "ContactsByAddress") && ++reads === 1 ? slowly : Effect.void
      )
    )
    const others = Array.from({ length: 100 }, (_, n) => [`person${n}@example.org`, "Other"])
    const name = await runtime.runPromise(
      Effect.gen(function* () {
        yield* importOf(["email", "first_name"], ["ada@example.org", "A"], ...others, ["ADA@example.org", "Ada"])
        return (yield* (yield* Contacts).findByEmail(project, "ada@example.org"))?.firstName
      })
    )
    await runtime.dispose()
    expect(name).toBe("Ada")
  })

  it("creates a contact that is deleted while its row is imported", async () => {
    let deletion: Effect.Effect<void> = Effect.void
    const deleteOnce = Effect.suspend(() => {
      const own = deletion
      deletion = Effect.void
      return own
    })
    const runtime = await openWith(store, () => Effect.void, deleteOnce)
    const [rows, name] = await runtime.runPromise(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const { id } = yield* contacts.create(project, { email: "ada@example.org" })
        deletion = Effect.orDie(Effect.asVoid(contacts.delete(project, id)))
        const rows = yield* importOf(["email", "first_name"], ["ada@example.org", "Ada"])
        return [rows, (yield* contacts.findByEmail(project, "ada@example.org"))?.firstName] as const
      })
    )
    await runtime.dispose()
    expect(rows).toMatchObject([{ line: 2, outcome: "created" }])
    expect(name).toBe("Ada")
  })

  it("creates a contact again that is deleted between two of its rows", async () => {
    let reads = 0
    const runtime = await openWith(store, (queries) =>
      Effect.suspend(() =>
        queries.some(({ _tag }) => _tag === "ContactsByAddress") && ++reads === 2 ? deleteFirst : Effect.void
      )
    )
    const deleteFirst: Effect.Effect<void> = Effect.promise(() =>
      runtime.runPromise(
        Effect.gen(function* () {
          const contacts = yield* Contacts
          const { items } = yield* contacts.list(project)
          yield* contacts.delete(project, items[0]!.id)
        })
      )
    )
    const [rows, name] = await runtime.runPromise(
      Effect.gen(function* () {
        const imported = importOf(["email", "first_name"], ["ada@example.org", "A"], ["ada@example.org", "Ada"])
        return [yield* imported, (yield* (yield* Contacts).findByEmail(project, "ada@example.org"))?.firstName] as const
      })
    )
    await runtime.dispose()
    expect(rows).toMatchObject([
      { line: 2, outcome: "created" },
      { line: 3, outcome: "created" }
    ])
    expect(name).toBe("Ada")
  })
})

describe("an import whose store is slow", () => {
  it("keeps no cells of the rows that wait", async () => {
    let unread = 0
    let unreadMax = 0
    let taken = 0
    /** A row that counts as unread until its cells are read. */
    const row = (line: number) => {
      taken++
      unreadMax = Math.max(unreadMax, ++unread)
      return {
        line,
        get cells() {
          unread--
          return [`person${line}@example.org`]
        }
      }
    }
    const header = { line: 1, cells: ["email"] }
    const rows = Stream.concat(
      Stream.make(header),
      Stream.flatMap(Stream.range(2, 3000), (line) => Stream.sync(() => row(line)))
    )
    const [memory] = stores
    const runtime = await openWith(memory!, (queries) =>
      queries.some(({ _tag }) => _tag === "ContactsByAddress") ? Effect.never : Effect.void
    )
    const importing = runtime.runFork(
      Effect.flatMap(ContactFiles, (files) => Stream.runDrain(files.importRows(project, rows)))
    )
    for (let before = -1; before !== taken || taken === 0;) {
      before = taken
      for (let turn = 0; turn < 50; turn++) await immediate()
    }
    await runtime.runPromise(Fiber.interrupt(importing))
    await runtime.dispose()
    expect(taken).toBeGreaterThan(512)
    expect(unreadMax).toBeLessThanOrEqual(64)
  })
})
