/**
 * Invalid input for the services of contacts, contact lists, properties, segments and suppressions.
 */
import { project } from "@mailkeep/test-support"
import { Effect, Stream } from "effect"
import { ContactFiles, ContactLists, Contacts, Properties, Segments, Suppressions } from "../../../src/index.ts"
import type { Anything, Case } from "../message/hostileValues.ts"
import {
  email,
  huge,
  notCount,
  notEmail,
  notLimit,
  notName,
  notObject,
  notProject,
  notText,
  segment
} from "../message/hostileValues.ts"

const contacts = <A, E, R>(use: (service: Contacts["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Contacts, use)

export const contactCases: ReadonlyArray<Case> = [
  ["Contacts.create projectId", notProject, (id) => contacts((service) => service.create(id, { email }))],
  ["Contacts.create input", notObject, (input) => contacts((service) => service.create(project, input))],
  ["Contacts.create email", notEmail, (email) => contacts((service) => service.create(project, { email }))],
  [
    "Contacts.create firstName",
    notName,
    (firstName) => contacts((service) => service.create(project, { email, firstName }))
  ],
  [
    "Contacts.create lastName",
    notName,
    (lastName) => contacts((service) => service.create(project, { email, lastName }))
  ],
  [
    "Contacts.create phoneNumber",
    notName,
    (phoneNumber) => contacts((service) => service.create(project, { email, phoneNumber }))
  ],
  ["Contacts.create userId", notName, (userId) => contacts((service) => service.create(project, { email, userId }))],
  [
    "Contacts.create properties",
    [7, "x", [], { a: {} }, { a: Number.NaN }, { none: 1 }, JSON.parse('{"__proto__":1}')],
    (properties) => contacts((service) => service.create(project, { email, properties }))
  ],
  [
    "Contacts.create unknown field",
    ["x"],
    (admin) => contacts((service) => service.create(project, { email, admin } as Anything))
  ],
  [
    "Contacts.create source",
    [null, 7, "zzz"],
    (source) => contacts((service) => service.create(project, { email }, { source }))
  ],
  ["Contacts.update contactId", notText, (id) => contacts((service) => service.update(project, id, { email }))],
  ["Contacts.update email", notEmail, (email) => contacts((service) => service.update(project, "con_x", { email }))],
  [
    "Contacts.update emailStatus",
    [null, 7, "zzz"],
    (emailStatus) => contacts((service) => service.update(project, "con_x", { email, emailStatus }))
  ],
  ["Contacts.get contactId", notText, (id) => contacts((service) => service.get(project, id))],
  ["Contacts.delete contactId", notText, (id) => contacts((service) => service.delete(project, id))],
  ["Contacts.findByEmail email", notText, (email) => contacts((service) => service.findByEmail(project, email))],
  ["Contacts.list page", notCount, (n) => contacts((service) => service.list(project, { page: n }))],
  ["Contacts.list limit", notLimit, (limit) => contacts((service) => service.list(project, { limit }))],
  [
    "Contacts.list search",
    [7, {}, huge, "a\u0000", "\ud800"],
    (search) => contacts((service) => service.list(project, { search }))
  ],
  [
    "Contacts.stream emailStatus",
    [7, "zzz", {}],
    (emailStatus) => contacts((service) => Stream.runDrain(service.stream(project, { emailStatus })))
  ],
  [
    "ContactFiles.importRows update",
    [null, 7, "yes"],
    (update) =>
      Effect.flatMap(ContactFiles, (service) => Stream.runDrain(service.importRows(project, Stream.empty, { update })))
  ],
  [
    "ContactFiles.exportRows projectId",
    notProject,
    (id) => Effect.flatMap(ContactFiles, (service) => Stream.runDrain(service.exportRows(id)))
  ],
  ...(["addReason", "removeReason"] as const).flatMap((act): ReadonlyArray<Case> => [
    [
      `Suppressions.${act} email`,
      notEmail,
      (email) => Effect.flatMap(Suppressions, (service) => service[act](project, email, "manual"))
    ],
    [
      `Suppressions.${act} reason`,
      [...notText, "zzz", "__proto__"],
      (reason) => Effect.flatMap(Suppressions, (service) => service[act](project, email, reason))
    ]
  ]),
  [
    "Suppressions.delete email",
    notEmail,
    (email) => Effect.flatMap(Suppressions, (service) => service.delete(project, email))
  ],
  [
    "Suppressions.list limit",
    notLimit,
    (limit) => Effect.flatMap(Suppressions, (service) => service.list(project, { limit }))
  ],
  [
    "Suppressions.list cursor",
    [7, {}, huge],
    (cursor) => Effect.flatMap(Suppressions, (service) => service.list(project, { limit: 1, cursor }))
  ]
]

const lists = <A, E, R>(use: (service: ContactLists["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(ContactLists, use)
const properties = <A, E, R>(use: (service: Properties["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Properties, use)
const segments = <A, E, R>(use: (service: Segments["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Segments, use)

export const groupCases: ReadonlyArray<Case> = [
  ["ContactLists.create projectId", notProject, (id) => lists((service) => service.create(id, { name: "L" }))],
  [
    "ContactLists.create name",
    [...notName, undefined, ""],
    (name) => lists((service) => service.create(project, { name }))
  ],
  [
    "ContactLists.create description",
    notName,
    (description) => lists((service) => service.create(project, { name: "L", description }))
  ],
  ["ContactLists.update input", notObject, (input) => lists((service) => service.update(project, "lst_x", input))],
  ["ContactLists.update id", notText, (id) => lists((service) => service.update(project, id, {}))],
  ["ContactLists.get id", notText, (id) => lists((service) => service.get(project, id))],
  ["ContactLists.delete id", notText, (id) => lists((service) => service.delete(project, id))],
  ["ContactLists.addContact listId", notText, (id) => lists((service) => service.addContact(project, id, "con_x"))],
  [
    "ContactLists.removeContact contactId",
    notText,
    (id) => lists((service) => service.removeContact(project, "lst_x", id))
  ],
  ["ContactLists.list limit", notLimit, (limit) => lists((service) => service.list(project, { limit }))],
  [
    "Properties.create projectId",
    notProject,
    (id) => properties((service) => service.create(id, { key: "k", type: "string" }))
  ],
  [
    "Properties.create key",
    [...notName, undefined, ""],
    (key) => properties((service) => service.create(project, { key, type: "string" }))
  ],
  [
    "Properties.create type",
    [...notText, "zzz", "toString"],
    (type) => properties((service) => service.create(project, { key: "k", type }))
  ],
  [
    "Properties.create fallbackValue",
    [7, {}, [], "x".repeat(1001), "a\u0000", "\ud800"],
    (value) => properties((service) => service.create(project, { key: "k", type: "string", fallbackValue: value }))
  ],
  [
    "Properties.create fallbackValue of a number",
    ["", "x", "1e999", "0x10", " 1", "NaN"],
    (value) => properties((service) => service.create(project, { key: "k", type: "number", fallbackValue: value }))
  ],
  [
    "Properties.create fallbackValue of a date",
    ["", "soon", "2026-02-30"],
    (value) => properties((service) => service.create(project, { key: "k", type: "date", fallbackValue: value }))
  ],
  ["Properties.update id", notText, (id) => properties((service) => service.update(project, id, {}))],
  ["Properties.update input", notObject, (input) => properties((service) => service.update(project, "prop_x", input))],
  ["Properties.delete id", notText, (id) => properties((service) => service.delete(project, id))],
  ["Properties.list projectId", notProject, (id) => properties((service) => service.list(id))],
  [
    "Segments.create projectId",
    notProject,
    (id) => segments((service) => service.create(id, { ...segment } as Anything))
  ],
  [
    "Segments.create name",
    [...notName, undefined, ""],
    (name) => segments((service) => service.create(project, { ...segment, name } as Anything))
  ],
  [
    "Segments.create filter",
    [...notObject, { zzz: 1 }],
    (filter) => segments((service) => service.create(project, { name: "S", filter }))
  ],
  ["Segments.update id", notText, (id) => segments((service) => service.update(project, id, {}))],
  ["Segments.update input", notObject, (input) => segments((service) => service.update(project, "seg_x", input))],
  ["Segments.list page", notCount, (n) => segments((service) => service.list(project, { page: n }))]
]
