/**
 * A store that refuses what no store may be asked for: a commit with records of two projects. A distributed database keeps the records of each project
 * together, so such a commit would cross machines. Source: decision 0071.
 */
import type { Change } from "@mailkeep/core/adapter"
import { MailStore, projectIdOfChange } from "@mailkeep/core/adapter"
import { Effect, Layer } from "effect"

const check = (changes: ReadonlyArray<Change>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const projects = new Set(changes.map(projectIdOfChange).filter((project) => project !== null))
    return projects.size <= 1
      ? Effect.void
      : Effect.die(new Error(`One commit has records of the projects ${[...projects].join(" and ")}.`))
  })

/** The store, whose commits die when their changes name two projects. */
export const commitsOfOneProject = <E>(store: Layer.Layer<MailStore, E>): Layer.Layer<MailStore, E> =>
  Layer.effect(
    MailStore,
    Effect.map(MailStore, (inner) =>
      MailStore.of({ ...inner, commit: (changes) => Effect.andThen(check(changes), inner.commit(changes)) })
    )
  ).pipe(Layer.provide(store))
