import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { publishingIssues, renderTemplate } from "../../src/decide/renderTemplate.ts"
import type { TemplateContent, TemplateVariable, VariableType } from "../../src/domain/Template.ts"
import { emptyContent } from "../../src/domain/Template.ts"

const variable = (key: string, type: VariableType = "string", change: Partial<TemplateVariable> = {}) => ({
  id: `var_${key}`,
  key,
  type,
  required: false,
  fallbackValue: null,
  ...change
})

const content = (change: Partial<TemplateContent>): TemplateContent => ({
  ...emptyContent,
  subject: "Hi",
  text: "Hi",
  ...change
})

const render = (change: Partial<TemplateContent>, values: Readonly<Record<string, string | number | boolean>> = {}) =>
  Result.getOrThrow(renderTemplate(content(change), values, "templateVariables"))

const refused = (change: Partial<TemplateContent>, values: Readonly<Record<string, string | number | boolean>>) => {
  const rendered = renderTemplate(content(change), values, "templateVariables")
  return Result.isFailure(rendered) ? rendered.failure.map(({ path, code }) => [path.join("."), code]) : undefined
}

describe("a template", () => {
  const name = [variable("name")]

  it("is escaped in HTML and nowhere else", () => {
    const said = render(
      { subject: "{{name}}", html: "<b>{{name}}</b>{{{name}}}", text: "{{name}}", variables: name },
      { name: "<A & B>" }
    )
    expect(said).toEqual({ subject: "<A & B>", html: "<b>&lt;A &amp; B&gt;</b><A & B>", text: "<A & B>" })
  })

  it("never lets a value in HTML begin a tag or end an attribute", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const { html } = render({ html: "{{name}}", variables: name }, { name: value })
        expect(html).not.toMatch(/[<>"'`]/)
      })
    )
  })

  it("shows sections by truth, and inverted ones by its absence", () => {
    const text = "{{#paid}}Paid{{/paid}}{{^paid}}Open{{/paid}} {{sum}}"
    const variables = [variable("paid", "boolean"), variable("sum", "number")]
    expect(render({ text, variables }, { paid: true, sum: 9.5 }).text).toBe("Paid 9.5")
    expect(render({ text, variables }, { paid: false, sum: 0 }).text).toBe("Open 0")
    expect(render({ text, variables }).text).toBe("Open ")
  })

  it("does not evaluate what a value says", () => {
    expect(render({ text: "{{name}}", variables: name }, { name: "{{secret}} {{#x}}" }).text).toBe("{{secret}} {{#x}}")
  })

  it("uses a fallback for what is not given, also of what is required", () => {
    const variables = [variable("name", "string", { required: true, fallbackValue: "you" })]
    expect(render({ text: "Hi {{name}}", variables }).text).toBe("Hi you")
    expect(render({ text: "Hi {{name}}", variables }, { name: "" }).text).toBe("Hi ")
  })

  it("names every value that is missing, of another type or not declared", () => {
    const variables = [variable("a", "string", { required: true }), variable("n", "number"), variable("b", "boolean")]
    expect(refused({ variables }, { n: "1", b: 1, x: 1, constructor: 1 })).toEqual([
      ["templateVariables.a", "required"],
      ["templateVariables.n", "invalid_type"],
      ["templateVariables.b", "invalid_type"],
      ["templateVariables.x", "unknown_variable"],
      ["templateVariables.constructor", "unknown_variable"]
    ])
  })

  it("puts no control character, and not nothing, and not too much, into a subject", () => {
    for (const value of ["a\r\nBcc: x@example.org", "\u0000", "", "x".repeat(501)])
      expect(refused({ subject: "{{name}}", variables: name }, { name: value })).toEqual([
        ["templateVariables", "invalid_value"]
      ])
  })

  it("makes no body larger than a send may have", () => {
    expect(refused({ text: "{{name}}".repeat(2000), variables: name }, { name: "x".repeat(2000) })).toEqual([
      ["templateVariables", "too_large"]
    ])
  })

  it("renders a body that is exactly as large as a send may have, its preview text included", () => {
    const around = '<div style="display:none;max-height:0;overflow:hidden">&amp;</div>'.length
    const html = "x".repeat(2 * 1024 * 1024 - around)
    expect(refused({ html, previewText: "{{name}}", variables: name }, { name: "&" })).toBeUndefined()
    expect(refused({ html, previewText: "{{name}}", variables: name }, { name: "&&" })).toEqual([
      ["templateVariables", "too_large"]
    ])
  })

  it("refuses large values in many tags before it has made what they say", { timeout: 5000 }, () => {
    const value = "&".repeat(256 * 1024)
    const html = "{{name}}".repeat(2000)
    for (let n = 0; n < 10; n++)
      expect(refused({ html, text: html, subject: html, previewText: html, variables: name }, { name: value })).toEqual(
        [
          ["templateVariables", "invalid_value"],
          ["templateVariables", "too_large"]
        ]
      )
  })

  it("reads 800 KB of opened body tags in a value once", { timeout: 5000 }, () => {
    const { html } = render(
      { html: "{{{name}}}", previewText: "Hi", variables: name },
      { name: "<body ".repeat(800_000 / 6) }
    )
    expect(html).toMatch(/^<div style.*>Hi<\/div><body <body /)
  })

  it.each(["toString", "hasOwnProperty", "valueOf", "constructor", "__proto__", "length"])(
    "knows the variable %s by what is given alone",
    (key) => {
      const part = `{{${key}}}{{{${key}}}}{{#${key}}}yes{{/${key}}}{{^${key}}}no{{/${key}}}`
      const said = { subject: part, html: part, text: part, previewText: part, variables: [variable(key)] }
      const hidden = (text: string) => `<div style="display:none;max-height:0;overflow:hidden">${text}</div>${text}`
      expect(render(said)).toEqual({ subject: "no", html: hidden("no"), text: "no" })
      const values = Object.fromEntries([[key, "v"]])
      expect(render(said, values)).toEqual({ subject: "vvyes", html: hidden("vvyes"), text: "vvyes" })
      expect(refused({ variables: [] }, values)).toEqual([[`templateVariables.${key}`, "unknown_variable"]])
    }
  )

  it("hides its preview text in front of the body", () => {
    const { html } = render(
      { html: "<html><body class=x>Hi</body></html>", previewText: "For {{name}}", variables: name },
      { name: "<A>" }
    )
    expect(html).toBe(
      '<html><body class=x><div style="display:none;max-height:0;overflow:hidden">For &lt;A&gt;</div>Hi</body></html>'
    )
  })
})

describe("publishing", () => {
  const issues = (change: Partial<TemplateContent>) =>
    publishingIssues(content(change)).map(({ path, code }) => [path.join("."), code])

  it.each([
    ["an undeclared variable", { text: "{{name}}" }],
    ["one within a section", { text: "{{#a}}{{name}}{{/a}}", variables: [variable("a", "boolean")] }],
    ["an undeclared section", { text: "{{^name}}x{{/name}}" }],
    ["an undeclared raw variable", { text: "{{{name}}} {{&a}}", variables: [variable("a")] }],
    ["a partial", { text: "{{> a}}", variables: [variable("a")] }],
    ["the value itself", { text: "{{#a}}{{.}}{{/a}}", variables: [variable("a")] }],
    ["a path", { text: "{{a.b}}", variables: [variable("a")] }],
    ["a property of every object", { text: "{{constructor}}" }],
    ["a section left open", { text: "{{#a}}", variables: [variable("a")] }],
    ["a tag left open", { text: "{{a", variables: [variable("a")] }]
  ] as const)("refuses %s", (_, change) => {
    expect(issues(change)).toEqual([["text", "malformed_template"]])
  })

  it("refuses more tags than a template may have, and names each undeclared variable once", () => {
    expect(issues({ text: "{{a}}".repeat(2001), variables: [variable("a")] })).toEqual([["text", "too_many_items"]])
    expect(issues({ text: "{{a}}{{b}}".repeat(500) })).toEqual([
      ["text", "malformed_template"],
      ["text", "malformed_template"]
    ])
  })

  it("needs a subject and one body", () => {
    expect(issues({ subject: null, text: null })).toEqual([
      ["subject", "required"],
      ["html", "required"]
    ])
  })

  it("lets declared tags, comments and other delimiters pass", () => {
    expect(
      issues({
        text: "{{! {{ }}{{a}}{{{a}}}{{#a}}{{b}}{{/a}}{{=<% %>=}}<%b%>",
        variables: [variable("a"), variable("b")]
      })
    ).toEqual([])
  })
})
