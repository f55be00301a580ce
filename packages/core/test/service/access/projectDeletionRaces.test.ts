/**
 * The deletion of a project while other calls write into it.
 */
import { project, start, withTestMail } from "@mailkeep/test-support"
import { makeInterleavedStore } from "@mailkeep/test-support/interleavedStore"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Query } from "../../../src/adapter.ts"
import { MailStore } from "../../../src/adapter.ts"
import { ApiKeys, Contacts, Domains, Projects } from "../../../src/index.ts"
import { allRecordsOf, deleteProject, populate, recordsOf } from "./projectRecords.ts"

/** Whether the queries read the first page of the templates, webhooks and other resources. */
const readsResources = ([query]: ReadonlyArray<Query>) => query?._tag === "Records" && query.kind === "Resource"

describe("calls during the deletion of a project", () => {
  it("fails with the reason deleting when a call creates the project, a domain or an API key", () => {
    const { store, runMeanwhile } = makeInterleavedStore(readsResources)
    return withTestMail(store)(
      Effect.gen(function* () {
        const [projects, domains, apiKeys] = [yield* Projects, yield* Domains, yield* ApiKeys]
        const failures: Array<unknown> = []
        const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          projects.ensure(project),
          projects.update(project, { onAmbiguous: "fail" }),
          domains.ensure(project, { domain: "example.com", verified: true }),
          domains.create(project, { domain: "other.example" }),
          apiKeys.create(project, { permissions: ["email.send"] })
        ]
        runMeanwhile(
          Effect.forEach(calls, (call) => Effect.map(Effect.flip(call), (failure) => failures.push(failure)))
        )
        expect(yield* deleteProject).toMatchObject({ isComplete: true })
        expect(failures).toEqual(
          calls.map(() => expect.objectContaining({ _tag: "StoreUnavailable", reason: "deleting", isRetryable: true }))
        )
        expect(yield* allRecordsOf(project)).toEqual([])
      })
    )
  })

  it("fails when the deletion begins after a call has read that there is none", () => {
    const { store, runMeanwhile } = makeInterleavedStore(([query]) => query?._tag === "Project" && query.id === project)
    return withTestMail(store)(
      Effect.gen(function* () {
        const projects = yield* Projects
        yield* projects.delete(project)
        const beginning = { _tag: "Resource", projectId: project, id: `pdl_${project}` } as const
        const mailStore = yield* MailStore
        runMeanwhile(
          mailStore.commit([
            {
              _tag: "PutResource",
              replaces: null,
              resource: {
                ...beginning,
                id: `pdl_${project}`,
                kind: "projectDeletion",
                parent: "",
                name: null,
                content: {},
                createdAt: start,
                updatedAt: start,
                revision: 1
              }
            }
          ])
        )
        expect(yield* Effect.flip(projects.ensure(project))).toMatchObject({ reason: "deleting" })
        expect(yield* recordsOf("Project", project)).toEqual([])
      })
    )
  })

  it("deletes a contact that another call creates after the contacts were read", () => {
    const { store, runMeanwhile } = makeInterleavedStore(readsResources)
    return withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        runMeanwhile(Effect.forEach(["a", "b"], (name) => contacts.create(project, { email: `${name}@example.org` })))
        expect(yield* deleteProject).toMatchObject({ isComplete: true, deleted: { Contact: 2 } })
        expect(yield* allRecordsOf(project)).toEqual([])
      })
    )
  })

  it("deletes nothing of a new project when another process has ended the deletion", () => {
    const { store, runMeanwhile } = makeInterleavedStore(readsResources)
    return withTestMail(store)(
      Effect.gen(function* () {
        yield* populate(project)
        const services = yield* Effect.context<Effect.Services<ReturnType<typeof populate>> | Projects | MailStore>()
        let anew: unknown
        runMeanwhile(
          Effect.gen(function* () {
            expect(yield* deleteProject).toMatchObject({ isComplete: true })
            yield* populate(project)
            anew = yield* allRecordsOf(project)
          }).pipe(Effect.provide(services))
        )
        expect(yield* deleteProject).toMatchObject({ isComplete: true, underWay: 0 })
        expect(yield* allRecordsOf(project)).toEqual(anew)
      })
    )
  })
})
