/**
 * Creates and updates segments. Source: decision 0026.
 */
import { Result } from "effect"
import type {
  SegmentContent,
  SegmentFilter,
  ValidCreateSegment,
  ValidUpdateSegment
} from "../../domain/contact/Segment.ts"
import { compileSegment, segmentName } from "../../domain/contact/Segment.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { NameTaken, TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { Decision } from "../store/Decision.ts"
import { invalidInput } from "../store/Decision.ts"
import type { EnsuringFacts, ExistingFacts, NewFacts } from "../store/resource.ts"
import { createResource, ensureResource, updateResource } from "../store/resource.ts"

interface FilterFacts {
  /** All properties of the project. */
  readonly properties: ReadonlyArray<ResourceOf<"property">>
}

/** Returns the filter when it compiles. The store keeps the filter and not its compiled form, because property keys can change. */
const validFilter = (filter: unknown, { properties }: FilterFacts): Result.Result<SegmentFilter, InvalidArgument> => {
  const compiled = compileSegment(filter, properties)
  return Result.isFailure(compiled) ? invalidInput(compiled.failure) : Result.succeed(filter as SegmentFilter)
}

export const createSegment = (
  { name, filter }: ValidCreateSegment,
  facts: NewFacts & FilterFacts
): Result.Result<Decision<ResourceOf<"segment">>, InvalidArgument | NameTaken | TooManyRecords> =>
  Result.flatMap(validFilter(filter, facts), (filter) =>
    createResource(
      { kind: "segment", record: "segment", field: "name", name: segmentName(name), content: { name, filter } },
      facts
    )
  )

/** Makes the segment with this name what the input says, and creates it when it does not exist. */
export const ensureSegment = (
  { name, filter }: ValidCreateSegment,
  facts: EnsuringFacts<"segment"> & FilterFacts
): Result.Result<Decision<ResourceOf<"segment">>, InvalidArgument | TooManyRecords> =>
  Result.flatMap(validFilter(filter, facts), (filter) =>
    ensureResource({ kind: "segment", record: "segment", name: segmentName(name), content: { name, filter } }, facts)
  )

/** Updates a segment. Fields that the input omits keep their values. A filter is checked only when the input has one. */
export const updateSegment = (
  segmentId: string,
  input: ValidUpdateSegment,
  facts: ExistingFacts<"segment"> & FilterFacts
): Result.Result<Decision<ResourceOf<"segment">>, InvalidArgument | RecordNotFound | NameTaken> => {
  const filter = input.filter === undefined ? undefined : validFilter(input.filter, facts)
  if (filter !== undefined && Result.isFailure(filter)) return Result.fail(filter.failure)
  const { existing } = facts
  if (existing === null) return Result.fail(new RecordNotFound({ record: "segment", id: segmentId }))
  const content: SegmentContent = {
    name: input.name ?? existing.content.name,
    filter: filter?.success ?? existing.content.filter
  }
  return updateResource({ record: "segment", field: "name", name: segmentName(content.name), content }, existing, facts)
}
