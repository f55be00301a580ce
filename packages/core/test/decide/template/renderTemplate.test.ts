import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { publishingIssues, renderTemplate } from "../../../src/decide/template/renderTemplate.ts"
import type { TemplateParts, TemplateVariable, VariableType } from "../../../src/domain/template/TemplateContent.ts"
import { emptyParts } from "../../../src/domain/template/TemplateContent.ts"

const variable = (key: string, type: VariableType = "string", change: Partial<TemplateVariable> = {}) => ({
  id: `var_${key}`,
  key,
  type,
  required: false,
  fallbackValue: null,
  ...change
})

const content = (change: Partial<TemplateParts>): TemplateParts => ({
  ...emptyParts,
  subject: "Hi",
  text: "Hi",
  ...change
})

const render = (change: Partial<TemplateParts>, values: Readonly<Record<string, string | number | boolean>> = {}) =>
  Result.getOrThrow(renderTemplate(content(change), values, "templateVariables"))

const refused = (change: Partial<TemplateParts>, values: Readonly<Record<string, string | number | boolean>>) => {
  const rendered = renderTemplate(content(change), values, "templateVariables")
  return Result.isFailure(rendered) ? rendered.failure.map(({ path, code }) => [path.join("."), code]) : undefined
}

describe("renderTemplate", () => {
  const name = [variable("name")]

  it("escapes values in HTML and nowhere else", () => {
    const said = render(
      { subject: "{{name}}", html: "<b>{{name}}</b>{{{name}}}", text: "{{name}}", variables: name },
      { name: "<A & B>" }
    )
    expect(said).toEqual({ subject: "<A & B>", html: "<b>&lt;A &amp; B&gt;</b><A & B>", text: "<A & B>" })
  })

  it("escapes values so that none begins a tag or ends an attribute in HTML", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const { html } = render({ html: "{{name}}", variables: name }, { name: value })
        expect(html).not.toMatch(/[<>"'`]/)
      })
    )
  })

  it("renders a section when its value is truthy, and an inverted section otherwise", () => {
    const text = "{{#paid}}Paid{{/paid}}{{^paid}}Open{{/paid}} {{sum}}"
    const variables = [variable("paid", "boolean"), variable("sum", "number")]
    expect(render({ text, variables }, { paid: true, sum: 9.5 }).text).toBe("Paid 9.5")
    expect(render({ text, variables }, { paid: false, sum: 0 }).text).toBe("Open 0")
    expect(render({ text, variables }).text).toBe("Open ")
  })

  it("does not evaluate template tags in a value", () => {
    expect(render({ text: "{{name}}", variables: name }, { name: "{{secret}} {{#x}}" }).text).toBe("{{secret}} {{#x}}")
  })

  it("uses the fallback value of a missing variable, also of a required one", () => {
    const variables = [variable("name", "string", { required: true, fallbackValue: "you" })]
    expect(render({ text: "Hi {{name}}", variables }).text).toBe("Hi you")
    expect(render({ text: "Hi {{name}}", variables }, { name: "" }).text).toBe("Hi ")
  })

  it("reports every value that is missing, has another type or is not declared", () => {
    const variables = [variable("a", "string", { required: true }), variable("n", "number"), variable("b", "boolean")]
    expect(refused({ variables }, { n: "1", b: 1, x: 1, constructor: 1 })).toEqual([
      ["templateVariables.a", "required"],
      ["templateVariables.n", "invalid_type"],
      ["templateVariables.b", "invalid_type"],
      ["templateVariables.x", "unknown_variable"],
      ["templateVariables.constructor", "unknown_variable"]
    ])
  })

  it("refuses a rendered subject that is empty, too long or has a control character", () => {
    for (const value of ["a\r\nBcc: x@example.org", "\u0000", "", "x".repeat(501)])
      expect(refused({ subject: "{{name}}", variables: name }, { name: value })).toEqual([
        ["templateVariables", "invalid_value"]
      ])
  })

  it("refuses a rendered body that is larger than a send permits", () => {
    expect(refused({ text: "{{name}}".repeat(2000), variables: name }, { name: "x".repeat(2000) })).toEqual([
      ["templateVariables", "too_large"]
    ])
  })

  it("renders a body that is exactly as large as a send permits, including the preview text", () => {
    const around = '<div style="display:none;max-height:0;overflow:hidden">&amp;</div>'.length
    const html = "x".repeat(2 * 1024 * 1024 - around)
    expect(refused({ html, previewText: "{{name}}", variables: name }, { name: "&" })).toBeUndefined()
    expect(refused({ html, previewText: "{{name}}", variables: name }, { name: "&&" })).toEqual([
      ["templateVariables", "too_large"]
    ])
  })

  it("refuses large values in many tags before it renders them", { timeout: 60_000 }, () => {
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

  it("reads a value with 800 KB of unclosed body tags in linear time", { timeout: 60_000 }, () => {
    const { html } = render(
      { html: "{{{name}}}", previewText: "Hi", variables: name },
      { name: "<body ".repeat(800_000 / 6) }
    )
    expect(html).toMatch(/^<div style.*>Hi<\/div><body <body /)
  })

  it.each(["toString", "hasOwnProperty", "valueOf", "constructor", "__proto__", "length"])(
    "finds no inherited property for the variable %s",
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

  it("inserts the hidden preview text before the body content", () => {
    const { html } = render(
      { html: "<html><body class=x>Hi</body></html>", previewText: "For {{name}}", variables: name },
      { name: "<A>" }
    )
    expect(html).toBe(
      '<html><body class=x><div style="display:none;max-height:0;overflow:hidden">For &lt;A&gt;</div>Hi</body></html>'
    )
  })
})

describe("publishingIssues", () => {
  const issues = (change: Partial<TemplateParts>) =>
    publishingIssues(content(change)).map(({ path, code }) => [path.join("."), code])

  it.each(["{{user.name}}", "{{.}}", "{{näme}}", "{{#order items}}{{/order items}}", `{{${"a".repeat(65)}}}`])(
    "says what the name of a variable is when a tag has another one: %s",
    (text) => {
      expect(publishingIssues(content({ text }))).toEqual([
        {
          path: ["text"],
          code: "malformed_template",
          message: "has a tag that names no variable: a name is a letter and up to 63 letters, digits or underscores"
        }
      ])
    }
  )

  it.each([
    ["refuses", "a line end", "a\nb", [["subject", "invalid_value"]]],
    ["refuses", "501 characters", "x".repeat(501), [["subject", "too_long"]]],
    ["allows", "500 characters outside of the BMP", "\u{1f600}".repeat(500), []],
    ["allows", "a comment of two lines", "{{! two\nlines }}Hi", []],
    ["allows", "a line end in a section", "{{#a}}\n{{/a}}Hi", []],
    ["allows", "501 characters in an inverted section", `{{^a}}${"x".repeat(501)}{{/a}}Hi`, []]
  ])("%s a subject with %s", (_, _with, subject, expected) =>
    expect(issues({ subject, variables: [variable("a", "boolean")] })).toEqual(expected)
  )

  it("names a variable that is not declared", () => {
    expect(publishingIssues(content({ text: "{{name}}" }))[0]?.message).toBe(
      'uses the variable "name", which is not declared'
    )
  })

  it.each([
    ["an undeclared variable", { text: "{{name}}" }],
    [
      "an undeclared variable within a section",
      { text: "{{#a}}{{name}}{{/a}}", variables: [variable("a", "boolean")] }
    ],
    ["an undeclared section", { text: "{{^name}}x{{/name}}" }],
    ["an undeclared raw variable", { text: "{{{name}}} {{&a}}", variables: [variable("a")] }],
    ["a partial", { text: "{{> a}}", variables: [variable("a")] }],
    ["the current value", { text: "{{#a}}{{.}}{{/a}}", variables: [variable("a")] }],
    ["a path", { text: "{{a.b}}", variables: [variable("a")] }],
    ["an inherited property of every object", { text: "{{constructor}}" }],
    ["a section that is not closed", { text: "{{#a}}", variables: [variable("a")] }],
    ["a tag that is not closed", { text: "{{a", variables: [variable("a")] }]
  ] as const)("refuses to publish a template with %s", (_, change) => {
    expect(issues(change)).toEqual([["text", "malformed_template"]])
  })

  it.each(["{{#if a}}x{{/if}}", "{{#each a}}x{{/each}}"])(
    "says how a section ends when a template has one of Handlebars: %s",
    (text) => {
      const found = publishingIssues(content({ text, variables: [variable("a", "boolean")] }))
      expect(found.map(({ message }) => message)).toEqual([
        "has a section that is not closed: {{#name}} ends with {{/name}}, and has the name of a variable alone"
      ])
    }
  )

  it("refuses too many tags, and reports each undeclared variable once", () => {
    expect(issues({ text: "{{a}}".repeat(2001), variables: [variable("a")] })).toEqual([["text", "too_many_items"]])
    expect(issues({ text: "{{a}}{{b}}".repeat(500) })).toEqual([
      ["text", "malformed_template"],
      ["text", "malformed_template"]
    ])
  })

  it("requires a subject and one body to publish a template", () => {
    expect(issues({ subject: null, text: null })).toEqual([
      ["subject", "required"],
      ["html", "required"]
    ])
  })

  it("allows declared tags, comments and changed delimiters", () => {
    expect(
      issues({
        text: "{{! {{ }}{{a}}{{{a}}}{{#a}}{{b}}{{/a}}{{=<% %>=}}<%b%>",
        variables: [variable("a"), variable("b")]
      })
    ).toEqual([])
  })
})
