import { Result } from "effect"
import * as fc from "fast-check"
import { runInNewContext } from "node:vm"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { SendingSource } from "../../../src/domain/access/ApiKey.ts"
import { chunkBytes, chunkCountOf, chunksOf } from "../../../src/domain/message/attachmentContent.ts"
import { parseSend } from "../../../src/domain/message/SendRequest.ts"

const minimal = { from: "hello@example.com", to: "ada@example.com", subject: "Hi", text: "Hello" }
const file = { filename: "a.pdf", content: "QUJD" }

const parse = (attachments: unknown, source: SendingSource = "api") => parseSend({ ...minimal, attachments }, source)

const issuesOf = (attachments: unknown, source?: SendingSource) => {
  const parsed = parse(attachments, source)
  return Result.isFailure(parsed) ? parsed.failure.map(({ path, code }) => `${path.join(".")} ${code}`) : []
}

const parsed = (attachments: unknown, source?: SendingSource) =>
  Result.getOrThrow(parse(attachments, source)).attachments

const filename = (name: string) => issuesOf([{ ...file, filename: name }])

describe("the attachments of a send", () => {
  it("has the bytes, the size and defaults for the fields that are absent", () => {
    expect(parsed([file])).toEqual([
      {
        filename: "a.pdf",
        contentType: "application/pdf",
        contentId: null,
        disposition: "attachment",
        size: 3,
        content: new TextEncoder().encode("ABC")
      }
    ])
    expect(parsed([{ ...file, contentId: "logo" }])).toMatchObject([{ contentId: "logo", disposition: "inline" }])
    expect(parsed([])).toEqual([])
    expect(parsed(undefined, "embedded")).toEqual([])
  })

  it.each([
    ["photo.JPG", "image/jpeg"],
    ["a.b.csv", "text/csv"],
    ["README", "application/octet-stream"],
    ["archive.tar.unknown", "application/octet-stream"],
    ["mail.eml", "application/octet-stream"],
    ["x.constructor", "application/octet-stream"],
    [".png", "image/png"]
  ])("gives the file %s the type %s", (name, type) => {
    expect(parsed([{ ...file, filename: name }])).toMatchObject([{ contentType: type }])
  })

  it.each([
    ["Application/PDF", "application/pdf"],
    ["text/calendar", "text/calendar"],
    ["text/calendar; method=REQUEST", "text/calendar; method=REQUEST"],
    ["TEXT/Calendar;METHOD=cancel", "text/calendar; method=CANCEL"],
    ['text/calendar; charset="UTF-8"; method="REPLY"', "text/calendar; method=REPLY"],
    ["text/calendar; method=PUBLISH; charset=utf-8", "text/calendar; method=PUBLISH"]
  ])("records the type %s as %s", (given, recorded) => {
    expect(parsed([{ ...file, contentType: given }])).toMatchObject([{ contentType: recorded }])
  })

  it.each([
    "text/calendar; method=SELL",
    "text/calendar; method=",
    "text/calendar; method=REQUEST; method=CANCEL",
    "text/calendar; charset=iso-8859-1; method=REQUEST",
    "text/calendar; method=REQUEST\r\nX: y",
    "text/csv; method=REQUEST"
  ])("refuses the type %j", (contentType) => {
    expect(issuesOf([{ ...file, contentType }])).toEqual(["attachments.0.contentType invalid_value"])
  })

  it.each<[string, unknown, ReadonlyArray<string>]>([
    ["a text in place of a list", "x", ["attachments invalid_type"]],
    ["an item that is no object", [1], ["attachments.0 invalid_type"]],
    ["an empty file", [{}], ["attachments.0.filename required", "attachments.0.content required"]],
    ["an unknown field", [{ ...file, url: "http://x" }], ["attachments.0.url unknown_field"]],
    [
      "a path",
      [{ path: "/etc/passwd" }],
      ["attachments.0.path unknown_field", "attachments.0.filename required", "attachments.0.content required"]
    ],
    ["a content of another type", [{ ...file, content: 7 }], ["attachments.0.content invalid_type"]],
    ["a content that is not base64", [file, { ...file, content: "a b" }], ["attachments.1.content invalid_value"]],
    ["a type without a subtype", [{ ...file, contentType: "pdf" }], ["attachments.0.contentType invalid_value"]],
    [
      "a type with a parameter",
      [{ ...file, contentType: "text/plain; charset=utf-8" }],
      ["attachments.0.contentType invalid_value"]
    ],
    [
      "a header in the type",
      [{ ...file, contentType: "text/plain\r\nX: y" }],
      ["attachments.0.contentType invalid_value"]
    ],
    [
      "a type of several parts",
      [{ ...file, contentType: "Multipart/mixed" }],
      ["attachments.0.contentType invalid_value"]
    ],
    [
      "a type of a whole mail",
      [{ ...file, contentType: "message/rfc822" }],
      ["attachments.0.contentType invalid_value"]
    ],
    ["an empty content id", [{ ...file, contentId: "" }], ["attachments.0.contentId invalid_value"]],
    ["a content id in angle brackets", [{ ...file, contentId: "<a>" }], ["attachments.0.contentId invalid_value"]],
    ["a content id with two @", [{ ...file, contentId: "a@b@c" }], ["attachments.0.contentId invalid_value"]],
    ["a header in the content id", [{ ...file, contentId: "a\r\nX: y" }], ["attachments.0.contentId invalid_value"]],
    [
      "a content id of 201 characters",
      [{ ...file, contentId: "a".repeat(201) }],
      ["attachments.0.contentId invalid_value"]
    ],
    ["an unknown disposition", [{ ...file, disposition: "form-data" }], ["attachments.0.disposition invalid_value"]],
    ["inline without a content id", [{ ...file, disposition: "inline" }], ["attachments.0.contentId required"]],
    [
      "one content id twice",
      [{ ...file, contentId: "a" }, file, { ...file, contentId: "a" }],
      ["attachments.2.contentId invalid_value"]
    ],
    ["51 files", Array.from({ length: 51 }, () => file), ["attachments too_many_items"]]
  ])("refuses %s", (_, attachments, issues) => {
    expect(issuesOf(attachments)).toEqual(issues)
  })

  it.each<[string, unknown]>([
    ["20 files", Array.from({ length: 20 }, () => file)],
    ["two files of one name", [file, file]],
    ["an empty content", [{ ...file, content: "" }]],
    ["a content id with a domain", [{ ...file, contentId: "image001.png@01D5E5A1.2B3C4D50" }]],
    ["a type in capitals", [{ ...file, contentType: "Application/PDF" }]],
    ["a content id of a file that is not shown", [{ ...file, contentId: "a", disposition: "attachment" }]]
  ])("allows %s", (_, attachments) => {
    expect(issuesOf(attachments)).toEqual([])
  })

  it.each([
    "invoice.pdf",
    "Rechnung für Jürgen.pdf",
    "請求書.pdf",
    "счёт № 7.pdf",
    "חשבונית.pdf",
    "फ़ाइल.pdf",
    "📎.pdf",
    "..hidden",
    '"; filename="x',
    "a".repeat(255),
    "📎".repeat(255)
  ])("allows the file name %j", (name) => {
    expect(filename(name)).toEqual([])
  })

  it.each([
    "",
    ".",
    "..",
    "a".repeat(256),
    "../../etc/passwd",
    "C:\\autoexec.bat",
    "a\r\nBcc: eve@example.org",
    "a\0.pdf",
    "a\tb",
    "a\u0085b",
    "a\u2028b",
    "photo\u202egpj.exe",
    "a\u2066b",
    "\ud800"
  ])("refuses the file name %j", (name) => {
    expect(filename(name)).not.toEqual([])
  })

  it("refuses every file name with a line end, a control character, a separator or a change of direction, in any script", () => {
    const harmful = fc.constantFrom(
      "\r",
      "\n",
      "\0",
      "\r\n",
      "\u0085",
      "\u2029",
      "/",
      "\\",
      "\u202e",
      "\u2069",
      "\u007f"
    )
    const words = fc.string({ unit: "grapheme", maxLength: 20 })
    fc.assert(
      fc.property(words, harmful, words, (before, bad, after) => {
        expect(filename(`${before}${bad}${after}`)).not.toEqual([])
      })
    )
  })

  it("accepts only file names that stay one harmless line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 30 }), (name) => {
        const isHarmful = /[\p{Cc}\u2028\u2029/\\\u202a-\u202e\u2066-\u2069]/u.test(name) || !name.isWellFormed()
        expect(filename(name).length > 0).toBe(isHarmful || name === "." || name === "..")
      }),
      { numRuns: 1000 }
    )
  })
})

describe("the attachments of a program", () => {
  it("takes a text as UTF-8 and an array as bytes, and ignores fields that are undefined", () => {
    const [text, bytes] = parsed(
      [
        { filename: "a.txt", content: "Grüße", contentType: undefined },
        { filename: "b.bin", content: Buffer.from([0, 255]), contentId: undefined }
      ],
      "embedded"
    )
    expect(text).toMatchObject({ size: 7, content: new TextEncoder().encode("Grüße") })
    expect([...bytes!.content]).toEqual([0, 255])
  })

  it.each<[string, unknown]>([
    ["an ArrayBuffer", new ArrayBuffer(2)],
    ["an array of other numbers than bytes", new Uint16Array(2)],
    ["a Blob", new Blob(["a"])],
    ["null", null]
  ])("says that a content may be bytes when it is %s", (_, content) => {
    const result = parse([{ filename: "a", content }], "embedded")
    expect(Result.isFailure(result) && result.failure).toEqual([
      { path: ["attachments", 0, "content"], code: "invalid_type", message: "must be a Uint8Array or a string" }
    ])
  })

  it("copies the bytes of a program, which may change its array later", () => {
    const given = Buffer.from("before")
    const [copied] = parsed([{ filename: "a", content: given }], "embedded")
    given.fill(0)
    expect(new TextDecoder().decode(copied!.content)).toBe("before")
  })

  describe("with the Uint8Array of another realm, as in a test with jsdom", () => {
    afterEach(() => void vi.unstubAllGlobals())

    it.each([
      ["a text", "AB"],
      ["a Buffer", Buffer.from("AB")],
      ["an array", new Uint8Array([65, 66])]
    ])("accepts %s", (_, content) => {
      vi.stubGlobal("Uint8Array", runInNewContext("Uint8Array"))
      expect([...parsed([{ filename: "a", content }], "embedded")[0]!.content]).toEqual([65, 66])
    })

    it("refuses an array of other numbers than bytes", () => {
      const content: unknown = runInNewContext("new Uint8ClampedArray(2)")
      expect(issuesOf([{ filename: "a", content }], "embedded")).toEqual(["attachments.0.content invalid_type"])
    })
  })

  it("keeps the array of a binding, which gives it away", () => {
    const given = new Uint8Array(3)
    expect(parsed([{ filename: "a", content: given }], "smtp")[0]!.content).toBe(given)
  })

  it("refuses a text with half of a surrogate pair", () => {
    expect(issuesOf([{ filename: "a", content: "\ud800" }], "embedded")).toEqual([
      "attachments.0.content invalid_value"
    ])
  })
})

describe("chunksOf", () => {
  it.each([
    [0, [0]],
    [1, [1]],
    [chunkBytes, [chunkBytes]],
    [chunkBytes + 1, [chunkBytes, 1]],
    [3 * chunkBytes, [chunkBytes, chunkBytes, chunkBytes]]
  ])("divides a content of %d bytes into chunks of %j bytes", (size, sizes) => {
    const content = Uint8Array.from({ length: size }, (_, at) => at % 251)
    const chunks = chunksOf(content)
    expect(chunks.map(({ length }) => length)).toEqual(sizes)
    expect(chunkCountOf(size)).toBe(sizes.length)
    expect(Buffer.compare(Buffer.concat(chunks), content)).toBe(0)
  })
})
