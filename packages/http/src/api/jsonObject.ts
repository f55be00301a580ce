/**
 * The objects of the OpenAPI document, as JSON has them.
 */
export type JsonObject = Readonly<Record<string, unknown>>

/** The same object with each value changed. */
export const mapped = <A, B>(
  record: Readonly<Record<string, A>>,
  change: (value: A, key: string) => B
): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

/** The reference to a schema of the document, by its name. */
export const schemaReference = (name: string): { readonly $ref: string } => ({ $ref: `#/components/schemas/${name}` })
