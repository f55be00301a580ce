/**
 * A page of a collection, as the page-based listings answer it. Source: interface, List contacts, List email domains.
 */
import { Schema } from "effect"

export const pageOf = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({
    message: Schema.String,
    data: Schema.Struct({
      items: Schema.Array(item),
      total: Schema.Int,
      page: Schema.Int,
      limit: Schema.Int
    })
  }).annotate({ identifier })
