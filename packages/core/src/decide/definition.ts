/**
 * Puts and removes what a project defines. Source: decisions 0025 to 0028.
 */
import { Result } from "effect"
import type { Definition, DefinitionKind, DefinitionOf } from "../domain/Definition.ts"
import { definitionPrefixes, definitionsMax } from "../domain/Definition.ts"
import type { RecordName } from "../domain/Failure.ts"
import { NameTaken, RecordNotFound, TooManyRecords } from "../domain/Failure.ts"
import type { IdBlock } from "../domain/Id.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { Decision } from "./Decision.ts"

export interface PuttingFacts {
  readonly now: Instant
  /** The definition that has the name asked for. */
  readonly named: Definition | null
}

export interface NewFacts extends PuttingFacts {
  readonly ids: IdBlock
  readonly projectId: ProjectId
  /** How many of the kind stand below the parent. */
  readonly count: number
}

/** A definition of a kind, with what people call it and the field that names it. */
export interface Making<K extends DefinitionKind> {
  readonly kind: K
  readonly record: RecordName
  readonly field: string
  readonly parent?: string
  readonly name: string | null
  readonly content: DefinitionOf<K>["content"]
  readonly max?: number
}

const decided = (definition: Definition, replaces: number | null) =>
  ({ answer: definition, changes: [{ _tag: "PutDefinition", definition, replaces }] }) as const

export const define = <K extends DefinitionKind>(
  { kind, record, field, parent = "", name, content, max = definitionsMax }: Making<K>,
  { now, named, ids, projectId, count }: NewFacts
): Result.Result<Decision<DefinitionOf<K>>, NameTaken | TooManyRecords> => {
  if (named !== null) return Result.fail(new NameTaken({ record, field }))
  if (count >= max) return Result.fail(new TooManyRecords({ record, max }))
  const made = {
    id: idAt(ids, definitionPrefixes[kind], 0),
    projectId,
    kind,
    parent,
    name,
    content,
    createdAt: now,
    updatedAt: now,
    revision: 1
  } as unknown as Definition
  return Result.succeed(decided(made, null) as unknown as Decision<DefinitionOf<K>>)
}

export const redefine = <K extends DefinitionKind>(
  { record, field, name, content }: Omit<Making<K>, "kind" | "parent" | "max">,
  standing: DefinitionOf<K>,
  { now, named }: PuttingFacts
): Result.Result<Decision<DefinitionOf<K>>, NameTaken> => {
  if (named !== null && named.id !== standing.id) return Result.fail(new NameTaken({ record, field }))
  const after = { ...standing, name, content, updatedAt: now, revision: standing.revision + 1 } as unknown as Definition
  return Result.succeed(decided(after, standing.revision) as unknown as Decision<DefinitionOf<K>>)
}

export const undefine = <K extends DefinitionKind>(
  record: RecordName,
  id: string,
  standing: DefinitionOf<K> | null
): Result.Result<Decision<null>, RecordNotFound> =>
  standing === null
    ? Result.fail(new RecordNotFound({ record, id }))
    : Result.succeed({ answer: null, changes: [{ _tag: "RemoveDefinition", id, revision: standing.revision }] })
