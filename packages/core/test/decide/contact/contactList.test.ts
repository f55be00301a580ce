/**
 * The decisions that create and update lists.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { createList, updateList } from "../../../src/decide/contact/contactList.ts"
import type { ExistingFacts, NewFacts } from "../../../src/decide/store/resource.ts"
import type { UpdateContactListInput } from "../../../src/domain/contact/ContactList.ts"
import { parseCreateList, parseUpdateList } from "../../../src/domain/contact/ContactList.ts"
import { ids, now, project, resource, tagOf } from "../fixtures.ts"

const friends = resource("list", "lst_1", "friends", { name: "Friends", description: "Near" })
const others = resource("list", "lst_2", "others", { name: "Others", description: "" })

const create = (facts: Partial<NewFacts> = {}) =>
  createList(Result.getOrThrow(parseCreateList({ name: "Friends" })), {
    now,
    ids,
    projectId: project,
    named: null,
    count: 0,
    ...facts
  })
const update = (input: UpdateContactListInput, facts: Partial<ExistingFacts<"list">> = {}) =>
  updateList("lst_1", Result.getOrThrow(parseUpdateList(input)), { now, named: null, existing: friends, ...facts })

describe("createList", () => {
  it("writes a list with an empty description and the name in lower case as its unique name", () =>
    expect(Result.getOrThrow(create())).toMatchObject({
      answer: { kind: "list", name: "friends", content: { name: "Friends", description: "" } },
      changes: [{ _tag: "PutResource", replaces: null }]
    }))

  it.each([
    ["NameTaken", "a used name before the limit", { named: friends, count: 1000 }],
    ["TooManyRecords", "the list after the 1,000th", { count: 1000 }]
  ] as const)("returns %s for %s", (tag, _, facts) => expect(tagOf(create(facts))).toBe(tag))
})

describe("updateList", () => {
  it.each([
    [{}, { name: "Friends", description: "Near" }],
    [{ name: "Kin" }, { name: "Kin", description: "Near" }],
    [{ description: "" }, { name: "Friends", description: "" }],
    [
      { name: undefined, description: "Far" },
      { name: "Friends", description: "Far" }
    ]
  ])("applies %j and keeps the other fields", (input, content) =>
    expect(Result.getOrThrow(update(input)).answer).toMatchObject({
      name: content.name.toLowerCase(),
      content,
      revision: 3
    })
  )

  it.each([
    ["RecordNotFound", "an unknown list before a used name", { existing: null, named: others }],
    ["NameTaken", "the name of another list", { named: others }],
    ["decided", "the own name of the list", { named: friends }]
  ] as const)("returns %s for %s", (tag, _, facts) => expect(tagOf(update({ name: "Others" }, facts))).toBe(tag))
})
