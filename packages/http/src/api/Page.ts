/**
 * The shared response shapes: a text or null, a page of a collection, one record, a deletion. Source: docs/spec/coverage.md S7 and S8.
 */
import { Schema } from "effect"

export const TextOrNull = Schema.NullOr(Schema.String)

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

/** A page of a collection that is read by cursor, without the number of its records. */
export const cursorPageOf = <S extends Schema.Top>(item: S, identifier: string) =>
  Schema.Struct({
    message: Schema.String,
    data: Schema.Struct({
      items: Schema.Array(item),
      limit: Schema.Int,
      hasMore: Schema.Boolean,
      nextCursor: TextOrNull
    })
  }).annotate({ identifier })

/** The response body of a deletion. */
export const SuccessBody = Schema.Struct({ success: Schema.Literal(true) }).annotate({ identifier: "SuccessResponse" })

/** One record under `data`. */
export const responseOf = <S extends Schema.Top>(record: S, identifier: string) =>
  Schema.Struct({ data: record }).annotate({ identifier })
