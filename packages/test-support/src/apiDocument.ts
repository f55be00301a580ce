/**
 * Reads the OpenAPI document: the operations, and the documented statuses and response bodies of each operation.
 */
import type { ValidateFunction } from "ajv/dist/2020.js"
import { Ajv2020 } from "ajv/dist/2020.js"

/** The parts of a JSON Schema that the readers of the document use. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Schema
  readonly anyOf?: ReadonlyArray<Schema>
  readonly enum?: ReadonlyArray<unknown>
}

interface Parameter {
  readonly in: "path" | "query" | "header"
  readonly name: string
}

interface Described {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}

/** An OpenAPI document. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** One operation of the document: its parameters, its body and its responses. */
export interface Operation {
  /** In upper case. */
  readonly method: string
  /** With parameters in braces: `/api/v1/emails/{id}`. */
  readonly path: string
  /** The names of the parameters in the path. */
  readonly pathNames: ReadonlyArray<string>
  /** The names of the parameters in the query. */
  readonly queryNames: ReadonlyArray<string>
  /** Whether the operation takes the header `Idempotency-Key`. */
  readonly needsKey: boolean
  /** The schema of the request body. `undefined` for an operation without a body. */
  readonly body: Schema | undefined
  /** Checks an answer. Returns what is wrong with it, or `undefined`. */
  readonly checkResponse: (status: number, body: unknown) => string | undefined
}

const named = ({ parameters = [] }: Described, location: Parameter["in"]) =>
  parameters.filter((parameter) => parameter.in === location).map(({ name }) => name)

const jsonSchema = (content: Readonly<Record<string, { readonly schema: Schema }>> | undefined) =>
  content?.["application/json"]?.schema

/** Makes a validator that has the components of the document in the schema `api`. */
const ajvOf = ({ components }: ApiDocument) =>
  new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: "api", components })

/** Lists the operations of the document. */
export const operationsOf = (document: ApiDocument): ReadonlyArray<Operation> => {
  const ajv = ajvOf(document)
  const validators = new Map<Schema, ValidateFunction>()
  /** Compiles a schema whose references point to the components of the document, when a body is checked by it for the first time. */
  const validatorOf = (schema: Schema): ValidateFunction => {
    const existing = validators.get(schema)
    if (existing !== undefined) return existing
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')
    const made = ajv.compile(JSON.parse(text) as object)
    validators.set(schema, made)
    return made
  }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const schemas = new Map(
        Object.entries(described.responses).map(
          ([status, { content }]) => [Number(status), jsonSchema(content)] as const
        )
      )
      return {
        method: method.toUpperCase(),
        path,
        pathNames: named(described, "path"),
        queryNames: named(described, "query"),
        needsKey: named(described, "header").includes("idempotency-key"),
        body: jsonSchema(described.requestBody?.content),
        checkResponse: (status, body) => {
          if (!schemas.has(status)) return `answers ${status}, which is not documented`
          const schema = schemas.get(status)
          if (schema === undefined) return undefined
          const validate = validatorOf(schema)
          if (validate(body)) return undefined
          return `answers ${status} with a body that does not match the schema: ${ajv.errorsText(validate.errors)}`
        }
      }
    })
  )
}

/** Follows the reference of a schema, if it has one. */
export const resolved = (document: ApiDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)!]!

/** Makes a pattern in which each path parameter, such as `{deliveryId}`, matches one segment. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`)

/** Returns a function that finds the operation of a request by its method and path. */
export const operationFinder = (document: ApiDocument) => {
  const operations = operationsOf(document).map((operation) => ({ operation, pattern: patternOf(operation.path) }))
  return (method: string, path: string): Operation | undefined =>
    operations.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation
}

/** Returns a function that validates a value by a schema of the document. It returns what is wrong, or `undefined`. */
export const bodyValidator = (document: ApiDocument) => {
  const ajv = ajvOf(document)
  return (schema: string, value: unknown): string | undefined => {
    const validate = ajv.getSchema(`api#/components/schemas/${schema}`)!
    return validate(value) === true ? undefined : ajv.errorsText(validate.errors)
  }
}
