/**
 * Which templates and versions a listing shows.
 */
import { newestFirst } from "../store/Paging.ts"
import { caseFold, containsPart, foldedParts } from "../store/textSearch.ts"
import type { ResourceOf } from "../store/Resource.ts"
import { versionBodiesBytesMax } from "./Template.ts"
import { templateStatusOf } from "./TemplateContent.ts"
import type { ListedTemplates } from "./TemplateInput.ts"

/** Returns the templates that match the filters, the most recently updated first. `null` means no filter. */
export const matchingTemplates = (
  templates: ReadonlyArray<ResourceOf<"template">>,
  { status, search, category }: Omit<ListedTemplates, "page">
): ReadonlyArray<ResourceOf<"template">> => {
  const parts = search === null ? null : foldedParts(search)
  return templates
    .filter(
      ({ content }) =>
        (status === null || templateStatusOf(content) === status) &&
        (category === null || content.category === category) &&
        (parts === null ||
          [content.name, content.alias, content.description].some(
            (text) => text !== null && containsPart(caseFold(text), parts)
          ))
    )
    .toSorted((a, b) => b.updatedAt - a.updatedAt || newestFirst(a, b))
}

/** Returns the newest versions whose bodies fit into `versionBodiesBytesMax` together. `versions` are newest first. */
export const versionsWithBodies = (
  versions: ReadonlyArray<ResourceOf<"templateVersion">>
): ReadonlyArray<ResourceOf<"templateVersion">> => {
  let bytes = 0
  const firstTooMany = versions.findIndex(({ content }) => (bytes += content.bodyOctets) > versionBodiesBytesMax)
  return firstTooMany === -1 ? versions : versions.slice(0, firstTooMany)
}
