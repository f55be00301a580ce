/**
 * The limits on the templates of a project. Source: decision 0027.
 */
import { TooManyRecords } from "../../domain/store/RecordFailure.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import { resourcesMax, templatesWithArchivedMax } from "../../domain/store/Resource.ts"

/** The templates of a project. */
export interface TemplateCounts {
  /** Those that are not archived. */
  readonly inUse: number
  /** Those that are archived too. */
  readonly all: number
}

/** Counts the templates. */
export const templateCounts = (templates: ReadonlyArray<ResourceOf<"template">>): TemplateCounts => ({
  inUse: templates.filter(({ content }) => content.archivedAt === null).length,
  all: templates.length
})

/** Why a project can have no further template; `undefined` when it can. */
export const tooManyTemplates = ({ inUse, all }: TemplateCounts): TooManyRecords | undefined => {
  if (inUse >= resourcesMax) return new TooManyRecords({ record: "template", max: resourcesMax })
  return all >= templatesWithArchivedMax
    ? new TooManyRecords({ record: "template", max: templatesWithArchivedMax })
    : undefined
}
