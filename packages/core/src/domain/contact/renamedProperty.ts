/**
 * The filters of segments after a property has another key. Source: decision 0026.
 */
import type { SegmentFilter } from "./Segment.ts"
import { fieldOfProperty, propertyOfField } from "./Segment.ts"

/** Whether a comparison of the filter names the property. `name` is its unique name. */
export const namesProperty = (filter: SegmentFilter, name: string): boolean => {
  if ("all" in filter) return filter.all.some((part) => namesProperty(part, name))
  if ("any" in filter) return filter.any.some((part) => namesProperty(part, name))
  if ("not" in filter) return namesProperty(filter.not, name)
  return "field" in filter && propertyOfField(filter.field) === name
}

/** The same filter, with another key for one property. `name` is the unique name of the property until now. */
export const withPropertyKey = (filter: SegmentFilter, name: string, key: string): SegmentFilter => {
  const renamed = (part: SegmentFilter) => withPropertyKey(part, name, key)
  if ("all" in filter) return { all: filter.all.map(renamed) }
  if ("any" in filter) return { any: filter.any.map(renamed) }
  if ("not" in filter) return { not: renamed(filter.not) }
  return namesProperty(filter, name) ? { ...filter, field: fieldOfProperty(key) } : filter
}
