import { Result } from "effect"
import * as fc from "fast-check"
import Mustache from "mustache"
import { describe, expect, it } from "vitest"
import type { MustacheValue } from "../../../src/domain/template/Mustache.ts"
import { escapeHtml, parseMustache, renderMustache, templateTagsMax } from "../../../src/domain/template/Mustache.ts"

const render = (
  template: string,
  values: Readonly<Record<string, MustacheValue>> = {},
  escape: (text: string) => string = escapeHtml,
  lengthMax = 1000
) => renderMustache(Result.getOrThrow(parseMustache(template)), new Map(Object.entries(values)), { escape, lengthMax })

const faultOf = (template: string) => Result.getOrThrow(Result.flip(parseMustache(template)))

/** A template of random pieces: tags, changed delimiters, white space and parts of tags. */
const tags = ["{{a}}", "{{{a}}}", "{{&b}}", "{{#a}}", "{{/a}}", "{{^b}}", "{{#b}}", "{{/b}}", "{{ # a }}", "{{c}}"]
const changes = ["{{! x }}", "{{=<% %>=}}", "<%a%>", "<%#a%>", "<%/a%>", "<%={{ }}=%>", "{{=a}}", "{{= =}}"]
const others = [" ", "\t", "\n", "\r\n", "x", "é", "<", "=", "{", "}", "{{", "}}", "{{{ b }}}"]
const template = fc
  .array(fc.constantFrom(...tags, ...changes, ...others), { maxLength: 12 })
  .map((pieces) => pieces.join(""))

const value = fc.constantFrom<MustacheValue>("", "<b>&'/=`", 0, 7.5, true, false)

describe("parseMustache and renderMustache", () => {
  it("renders and refuses the same templates as the mustache library", () => {
    fc.assert(
      fc.property(template, value, value, (text, a, b) => {
        const expected = (() => {
          try {
            return new Mustache.Writer().render(text, { a, b })
          } catch {
            return undefined
          }
        })()
        const tokens = parseMustache(text)
        const made = Result.isFailure(tokens)
          ? undefined
          : renderMustache(
              tokens.success,
              new Map([
                ["a", a],
                ["b", b]
              ]),
              { escape: escapeHtml, lengthMax: 10_000 }
            )
        expect(made).toBe(expected)
      }),
      { numRuns: 5000 }
    )
  })

  it("throws no error for any template", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("{", "}", "=", "#", "/", "a", " ", "\n") }), (text) => {
        const tokens = parseMustache(text)
        if (Result.isFailure(tokens)) return
        const rendered = renderMustache(tokens.success, new Map(), { escape: escapeHtml, lengthMax: 10_000 })
        expect(rendered).toBeTypeOf("string")
      })
    )
  })
})

describe("parseMustache", () => {
  it.each([
    ["tag_not_closed", "{{a"],
    ["tag_not_closed", "{{{a}}"],
    ["tag_not_closed", "{{=<% %>"],
    ["section_not_closed", "{{#a}}"],
    ["section_not_closed", "{{#a}}{{#b}}{{/a}}{{/b}}"],
    ["section_not_opened", "{{/a}}"],
    ["delimiters_not_two", "{{=<%=}}"],
    ["delimiter_too_long", `{{=${"a".repeat(65)} b=}}`],
    ["delimiter_too_long", `{{=a ${"b".repeat(65)}=}}`]
  ])("fails with %s for %j", (fault, text) => {
    expect(faultOf(text)).toBe(fault)
  })

  it("allows the maximum number of tags and no more, also when they are nested", () => {
    const half = templateTagsMax / 2
    expect(render("{{#a}}".repeat(half) + "x" + "{{/a}}".repeat(half), { a: true })).toBe("x")
    expect(faultOf("{{a}}".repeat(templateTagsMax + 1))).toBe("too_many_tags")
    expect(faultOf("{{! }}".repeat(templateTagsMax + 1))).toBe("too_many_tags")
  })

  it("allows delimiters of 64 characters", () => {
    const [open, close] = ["<".repeat(64), ">".repeat(64)]
    expect(render(`{{=${open} ${close}=}}${open}a${close}`, { a: "x" })).toBe("x")
  })

  const mebibyte = 1024 * 1024
  const longDelimiter = `{{=${"a".repeat(mebibyte / 4)}b${"a".repeat(mebibyte / 4)} x=}}${"a".repeat(mebibyte)}`
  it.each([
    ["text", "a".repeat(2 * mebibyte), undefined],
    ["lines", "a\n".repeat(mebibyte), undefined],
    ["opening braces", "{{".repeat(mebibyte), "tag_not_closed"],
    ["open sections", "{{#a}}".repeat(mebibyte / 3), "too_many_tags"],
    ["white space in an open tag", `{{a${" ".repeat(2 * mebibyte)}b`, "tag_not_closed"],
    ["white space in a tag", `{{a${" ".repeat(2 * mebibyte)}b}}`, undefined],
    ["tags between other delimiters", `{{=<% %>=}}${"<%a%>".repeat(mebibyte / 3)}`, "too_many_tags"],
    ["delimiters of many words", `{{=${" a".repeat(mebibyte)}=}}`, undefined],
    ["a part of a delimiter", `{{=${"a".repeat(30)}b${"a".repeat(33)} x=}}${"a".repeat(2 * mebibyte)}`, undefined],
    ["a part of a long delimiter", longDelimiter, "delimiter_too_long"]
  ])("parses 2 MiB of %s in linear time", { timeout: 60_000 }, (_, text, fault) => {
    const tokens = parseMustache(text)
    expect(Result.isFailure(tokens) ? tokens.failure : undefined).toBe(fault)
    if (Result.isSuccess(tokens)) expect(tokens.success.length).toBeLessThan(4)
  })
})

describe("renderMustache", () => {
  it("escapes each value once, however many tags use it", () => {
    const escaped: Array<string> = []
    const escape = (text: string) => {
      escaped.push(text)
      return escapeHtml(text)
    }
    expect(render("{{a}}{{b}}{{a}}{{{a}}}{{b}}", { a: "<", b: ">" }, escape)).toBe("&lt;&gt;&lt;<&gt;")
    expect(escaped).toEqual(["<", ">"])
  })

  it("stops to render at the tag that makes the text too long", () => {
    class CountedValues extends Map<string, MustacheValue> {
      lookups = 0
      override get(name: string) {
        this.lookups++
        return super.get(name)
      }
    }
    const values = new CountedValues([["a", "x".repeat(100)]])
    const tokens = Result.getOrThrow(parseMustache("{{{a}}}".repeat(templateTagsMax)))
    expect(renderMustache(tokens, values, { escape: escapeHtml, lengthMax: 1000 })).toBeUndefined()
    expect(values.lookups).toBe(11)
  })

  it("finds no inherited property as a value", () => {
    for (const name of ["toString", "hasOwnProperty", "constructor", "__proto__", "length", "valueOf"]) {
      const text = `{{${name}}}{{{${name}}}}{{#${name}}}yes{{/${name}}}{{^${name}}}no{{/${name}}}`
      expect(render(text)).toBe("no")
      const given = renderMustache(Result.getOrThrow(parseMustache(text)), new Map([[name, "v"]]), {
        escape: escapeHtml,
        lengthMax: 100
      })
      expect(given).toBe("vvyes")
    }
  })
})
