/**
 * Invalid inputs of templates, as a caller without types may pass them.
 */
import { Effect } from "effect"
import { Templates } from "../../../src/index.ts"
import { project } from "@mailkeep/test-support"
import type { Anything, Case } from "../message/hostileValues.ts"
import { huge, notLimit, notName, notObject, notProject, notText } from "../message/hostileValues.ts"

const templates = <A, E, R>(use: (service: Templates["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Templates, use)
const create = (change: Anything) => templates((service) => service.create(project, { name: "A", ...change }))
const input = { alias: "a", name: "A", subject: "Hi", text: "Hi" }
const variable = { key: "order", type: "string" }

export const templateCases: ReadonlyArray<Case> = [
  ["Templates.create projectId", notProject, (id) => templates((service) => service.create(id, { name: "A" }))],
  ["Templates.create input", notObject, (value) => templates((service) => service.create(project, value))],
  ["Templates.create name", [...notName, undefined, ""], (name) => create({ name })],
  ["Templates.create alias", [7, "tpl_x", "A", "a b", {}, huge], (alias) => create({ alias })],
  ["Templates.create fromName", [7, "", "a\r\nBcc: b@e.org", huge], (fromName) => create({ fromName })],
  ["Templates.create replyTo", [7, "", "Ada <ada@e.org>", "a\n@e.org"], (replyTo) => create({ replyTo })],
  ["Templates.create html", [7, "\u0000", "\ud800", huge], (html) => create({ html })],
  ["Templates.create preview_text", ["Hi"], (text) => create({ preview_text: text })],
  [
    "Templates.create variables",
    [null, 7, "x", {}, [null], [{}], [variable, variable], Array.from({ length: 1_000_000 }, () => variable)],
    (variables) => create({ variables })
  ],
  [
    "Templates.create variable",
    [
      { key: "__proto__" },
      { key: "1a" },
      { type: "zzz" },
      { required: "yes" },
      { fallbackValue: 7 },
      { fallbackValue: [] },
      { zzz: 1 }
    ],
    (change) => create({ variables: [{ ...variable, ...change }] })
  ],
  [
    "Templates.ensure alias",
    [undefined, null, "", 7, "tpl_x"],
    (alias) => templates((service) => service.ensure(project, { ...input, alias }))
  ],
  [
    "Templates.ensure content",
    [{ subject: "{{order}}" }, { subject: null }, { text: "" }, { text: "{{#a}}" }],
    (change) => templates((service) => service.ensure(project, { ...input, ...change }))
  ],
  ["Templates.get idOrAlias", notText, (id) => templates((service) => service.get(project, id))],
  ["Templates.update idOrAlias", notText, (id) => templates((service) => service.update(project, id, {}))],
  ["Templates.publish idOrAlias", notText, (id) => templates((service) => service.publish(project, id))],
  ["Templates.archive idOrAlias", notText, (id) => templates((service) => service.archive(project, id))],
  ["Templates.list limit", notLimit, (limit) => templates((service) => service.list(project, { limit }))],
  ["Templates.list status", [7, "zzz"], (status) => templates((service) => service.list(project, { status }))],
  ["Templates.list search", [7, huge], (search) => templates((service) => service.list(project, { search }))],
  [
    "Templates.listVersions beforeVersion",
    [0, -1, 0.5, "1", Number.NaN],
    (beforeVersion) => templates((service) => service.listVersions(project, "a", { beforeVersion }))
  ],
  [
    "Templates.preview variables",
    [null, 7, [], { a: [1] }, { a: huge }],
    (variables) => templates((service) => service.preview(project, "a", { variables }))
  ]
]
