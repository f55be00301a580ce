/**
 * The shared response shapes: a page of a collection, one record, a deletion. Source: docs/spec/coverage.md S7 and S8.
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

/** The response body of a deletion. */
export const SuccessBody = Schema.Struct({ success: Schema.Literal(true) }).annotate({ identifier: "SuccessResponse" })

/** One record under `data`. */
export const oneOf = <S extends Schema.Top>(record: S, identifier: string) =>
  Schema.Struct({ data: record }).annotate({ identifier })
