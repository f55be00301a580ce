/**
 * Hostile input of the services for contacts and what groups them.
 */
import { project } from "@mailkeep/proving"
import { Effect, Stream } from "effect"
import {
  ContactFiles,
  ContactLists,
  Contacts,
  everyContact,
  Properties,
  Segments,
  Suppressions
} from "../../src/index.ts"
import type { Anything, Case } from "./hostileValues.ts"
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
  page,
  segment
} from "./hostileValues.ts"

const contacts = <A, E, R>(use: (service: Contacts["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Contacts, use)

export const contactCases: ReadonlyArray<Case> = [
  ["Contacts.create projectId", notProject, (id) => contacts((on) => on.create(id, { email }))],
  ["Contacts.create request", notObject, (asked) => contacts((on) => on.create(project, asked))],
  ["Contacts.create email", notEmail, (email) => contacts((on) => on.create(project, { email }))],
  ["Contacts.create firstName", notName, (firstName) => contacts((on) => on.create(project, { email, firstName }))],
  ["Contacts.create lastName", notName, (lastName) => contacts((on) => on.create(project, { email, lastName }))],
  [
    "Contacts.create phoneNumber",
    notName,
    (phoneNumber) => contacts((on) => on.create(project, { email, phoneNumber }))
  ],
  ["Contacts.create userId", notName, (userId) => contacts((on) => on.create(project, { email, userId }))],
  [
    "Contacts.create properties",
    [7, "x", [], { a: {} }, { a: Number.NaN }, { none: 1 }, JSON.parse('{"__proto__":1}')],
    (properties) => contacts((on) => on.create(project, { email, properties }))
  ],
  [
    "Contacts.create unknown field",
    ["x"],
    (admin) => contacts((on) => on.create(project, { email, admin } as Anything))
  ],
  ["Contacts.create source", [null, 7, "zzz"], (source) => contacts((on) => on.create(project, { email }, source))],
  ["Contacts.update contactId", notText, (id) => contacts((on) => on.update(project, id, { email }))],
  ["Contacts.update email", notEmail, (email) => contacts((on) => on.update(project, "con_x", { email }))],
  [
    "Contacts.update emailStatus",
    [null, 7, "zzz"],
    (emailStatus) => contacts((on) => on.update(project, "con_x", { email, emailStatus }))
  ],
  ["Contacts.get contactId", notText, (id) => contacts((on) => on.get(project, id))],
  ["Contacts.erase contactId", notText, (id) => contacts((on) => on.erase(project, id))],
  ["Contacts.atAddress email", notText, (email) => contacts((on) => on.atAddress(project, email))],
  ["Contacts.page page", notCount, (n) => contacts((on) => on.page(project, everyContact, { page: n, limit: 10 }))],
  ["Contacts.page limit", notLimit, (limit) => contacts((on) => on.page(project, everyContact, { page: 1, limit }))],
  [
    "Contacts.page search",
    [7, {}, huge, "a\u0000", "\ud800"],
    (search) => contacts((on) => on.page(project, { ...everyContact, search }, page))
  ],
  [
    "Contacts.each emailStatus",
    [undefined, 7, "zzz"],
    (emailStatus) => contacts((on) => Stream.runDrain(on.each(project, { ...everyContact, emailStatus })))
  ],
  [
    "ContactFiles.take update",
    [null, 7, "yes"],
    (update) => Effect.flatMap(ContactFiles, (on) => Stream.runDrain(on.take(project, Stream.empty, { update })))
  ],
  [
    "ContactFiles.give projectId",
    notProject,
    (id) => Effect.flatMap(ContactFiles, (on) => Stream.runDrain(on.give(id, everyContact)))
  ],
  ...(["add", "lift"] as const).flatMap((act): ReadonlyArray<Case> => [
    [
      `Suppressions.${act} email`,
      notEmail,
      (email) => Effect.flatMap(Suppressions, (on) => on[act](project, email, "manual"))
    ],
    [
      `Suppressions.${act} reason`,
      [...notText, "zzz", "__proto__"],
      (reason) => Effect.flatMap(Suppressions, (on) => on[act](project, email, reason))
    ]
  ]),
  ["Suppressions.remove email", notEmail, (email) => Effect.flatMap(Suppressions, (on) => on.remove(project, email))],
  [
    "Suppressions.page limit",
    notLimit,
    (limit) => Effect.flatMap(Suppressions, (on) => on.page(project, null, { limit, cursor: null }))
  ],
  [
    "Suppressions.page cursor",
    [undefined, 7, {}, huge],
    (cursor) => Effect.flatMap(Suppressions, (on) => on.page(project, null, { limit: 1, cursor }))
  ]
]

const lists = <A, E, R>(use: (service: ContactLists["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(ContactLists, use)
const properties = <A, E, R>(use: (service: Properties["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Properties, use)
const segments = <A, E, R>(use: (service: Segments["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Segments, use)

export const groupCases: ReadonlyArray<Case> = [
  ["ContactLists.create projectId", notProject, (id) => lists((on) => on.create(id, { name: "L" }))],
  ["ContactLists.create name", [...notName, undefined, ""], (name) => lists((on) => on.create(project, { name }))],
  [
    "ContactLists.create description",
    notName,
    (description) => lists((on) => on.create(project, { name: "L", description }))
  ],
  ["ContactLists.update request", notObject, (asked) => lists((on) => on.update(project, "lst_x", asked))],
  ["ContactLists.update id", notText, (id) => lists((on) => on.update(project, id, {}))],
  ["ContactLists.get id", notText, (id) => lists((on) => on.get(project, id))],
  ["ContactLists.remove id", notText, (id) => lists((on) => on.remove(project, id))],
  ["ContactLists.put listId", notText, (id) => lists((on) => on.put(project, id, "con_x"))],
  ["ContactLists.take contactId", notText, (id) => lists((on) => on.take(project, "lst_x", id))],
  ["ContactLists.page limit", notLimit, (limit) => lists((on) => on.page(project, { page: 1, limit }))],
  ["Properties.create projectId", notProject, (id) => properties((on) => on.create(id, { key: "k", type: "string" }))],
  [
    "Properties.create key",
    [...notName, undefined, ""],
    (key) => properties((on) => on.create(project, { key, type: "string" }))
  ],
  [
    "Properties.create type",
    [...notText, "zzz", "toString"],
    (type) => properties((on) => on.create(project, { key: "k", type }))
  ],
  [
    "Properties.create fallback_value",
    [7, {}, [], "x".repeat(1001), "a\u0000", "\ud800"],
    (value) => properties((on) => on.create(project, { key: "k", type: "string", fallback_value: value }))
  ],
  [
    "Properties.create fallback_value of a number",
    ["", "x", "1e999", "0x10", " 1", "NaN"],
    (value) => properties((on) => on.create(project, { key: "k", type: "number", fallback_value: value }))
  ],
  [
    "Properties.create fallback_value of a date",
    ["", "soon", "2026-02-30"],
    (value) => properties((on) => on.create(project, { key: "k", type: "date", fallback_value: value }))
  ],
  ["Properties.update id", notText, (id) => properties((on) => on.update(project, id, {}))],
  ["Properties.update request", notObject, (asked) => properties((on) => on.update(project, "prop_x", asked))],
  ["Properties.remove id", notText, (id) => properties((on) => on.remove(project, id))],
  ["Properties.list projectId", notProject, (id) => properties((on) => on.list(id))],
  ["Segments.create projectId", notProject, (id) => segments((on) => on.create(id, { ...segment } as Anything))],
  [
    "Segments.create name",
    [...notName, undefined, ""],
    (name) => segments((on) => on.create(project, { ...segment, name } as Anything))
  ],
  [
    "Segments.create filter",
    [...notObject, { zzz: 1 }],
    (filter) => segments((on) => on.create(project, { name: "S", filter }))
  ],
  ["Segments.update id", notText, (id) => segments((on) => on.update(project, id, {}))],
  ["Segments.update request", notObject, (asked) => segments((on) => on.update(project, "seg_x", asked))],
  ["Segments.predicateOf id", notText, (id) => segments((on) => on.predicateOf(project, id))],
  ["Segments.page page", notCount, (n) => segments((on) => on.page(project, { page: n, limit: 10 }))]
]
