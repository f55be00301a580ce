/**
 * Files that a program gives by their path: they are read when the message is sent, within the bounds of the reader.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { detail, send, stores, captured, tick, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as NodeFiles from "../../../src/node/NodeFiles.ts"
import { FileReader } from "../../../src/port/FileReader.ts"
import { contentOf, refusalOf } from "./attachmentReads.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mailkeep-files-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("an attachment with a path", () => {
  const [memory] = stores
  const reader = (options: NodeFiles.NodeFilesOptions = {}) =>
    Effect.runSync(Effect.provide(FileReader, NodeFiles.layer(options)))

  const name = (...parts: ReadonlyArray<string>) => join(folder, ...parts)

  beforeAll(() => {
    mkdirSync(name("invoices", "2026"), { recursive: true })
    writeFileSync(name("secret.txt"), "secret")
    writeFileSync(name("invoices", "a.pdf"), "A")
    writeFileSync(name("invoices", "2026", "b.pdf"), "BB")
    symlinkSync(name("secret.txt"), name("invoices", "link.pdf"))
    symlinkSync(name("invoices", "a.pdf"), name("invoices", "alias.pdf"))
    execFileSync("mkfifo", [name("pipe")])
  })

  it("reads the file when the message is sent, and names it by the last part of the path", () =>
    withTestMail(memory, { files: reader() })(
      Effect.gen(function* () {
        const sent = yield* send("k", {
          attachments: [
            { path: name("invoices", "2026", "b.pdf") },
            { filename: "text", content: "C" },
            { path: name("invoices", "a.pdf"), filename: "Invoice.txt" }
          ]
        })
        expect((yield* detail(sent.deliveryIds[0]!)).message.attachments).toMatchObject([
          { filename: "b.pdf", contentType: "application/pdf", size: 2 },
          { filename: "text", size: 1 },
          { filename: "Invoice.txt", contentType: "text/plain", size: 1 }
        ])
        yield* tick
        const [{ message } = {}] = yield* captured
        expect((yield* contentOf(message!.attachments[0]!)).toString()).toBe("BB")
      })
    ))

  it("is refused without a reader of files", () =>
    withTestMail(memory)(
      Effect.gen(function* () {
        expect(yield* refusalOf([{ path: name("secret.txt") }])).toEqual(["attachments.0.path not_allowed_here"])
      })
    ))

  it.each<[string, object, string]>([
    ["a file that does not exist", { path: "none.pdf" }, "invalid_value"],
    ["a folder", { path: "invoices" }, "invalid_value"],
    ["a pipe", { path: "pipe" }, "invalid_value"],
    ["a device without an end", { path: "/dev/zero" }, "invalid_value"],
    ["a path with NUL", { path: "a\0b" }, "invalid_value"],
    ["a number", { path: 7 }, "invalid_type"],
    ["a content beside the path", { path: "secret.txt", content: "x" }, "not_allowed_here"]
  ])("is refused when it names %s", (_, file, code) =>
    withTestMail(memory, { files: reader() })(
      Effect.gen(function* () {
        const { path } = file as { readonly path: unknown }
        const at = typeof path === "string" && !path.startsWith("/") ? name(path) : path
        expect(yield* refusalOf([{ ...file, path: at }])).toEqual([`attachments.0.path ${code}`])
      })
    )
  )

  it("reads only files of the folder, when there is one, and follows no link out of it", () =>
    withTestMail(memory, { files: reader({ folder: name("invoices") }) })(
      Effect.gen(function* () {
        const outside = ["../secret.txt", name("secret.txt"), "link.pdf", ".", "", "/dev/zero"]
        expect(yield* refusalOf(outside.map((path) => ({ path })))).toEqual(
          outside.map((_, index) => `attachments.${index}.path invalid_value`)
        )
        expect(
          yield* refusalOf([{ path: "2026/b.pdf" }, { path: "alias.pdf" }, { path: name("invoices/a.pdf") }])
        ).toEqual([])
      })
    ))

  it("reads every file when the folder is the root of the file system", () =>
    withTestMail(memory, { files: reader({ folder: "/" }) })(
      Effect.gen(function* () {
        const inside = [name("secret.txt"), name("secret.txt").slice(1), name("invoices", "link.pdf")]
        expect(yield* refusalOf(inside.map((path) => ({ path })))).toEqual([])
        expect(yield* refusalOf([{ path: "/" }])).toEqual(["attachments.0.path invalid_value"])
      })
    ))

  it("reads no more than the plan allows for all files together", () =>
    withTestMail(memory, { files: reader(), plan: { attachmentBytes: 7 } })(
      Effect.gen(function* () {
        const [two, six] = [{ path: name("invoices", "2026", "b.pdf") }, { path: name("secret.txt") }]
        expect(yield* refusalOf([two, six])).toEqual(["attachments.1.path too_large"])
        expect(yield* refusalOf([two, two, two])).toEqual([])
      })
    ))
})
