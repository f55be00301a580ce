/**
 * The API's own description: its operations, and for each the statuses and shapes that it may answer with.
 */
import { Ajv2020 } from "ajv/dist/2020.js"

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

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export interface Operation {
  readonly method: string
  readonly path: string
  readonly pathNames: ReadonlyArray<string>
  readonly queryNames: ReadonlyArray<string>
  readonly needsKey: boolean
  readonly body: Schema | undefined
  /** What is wrong with an answer, or nothing. */
  readonly judge: (status: number, body: unknown) => string | undefined
}

const named = ({ parameters = [] }: Described, place: Parameter["in"]) =>
  parameters.filter((parameter) => parameter.in === place).map(({ name }) => name)

const jsonSchema = (content: Readonly<Record<string, { readonly schema: Schema }>> | undefined) =>
  content?.["application/json"]?.schema

export const operationsOf = (document: ApiDocument): ReadonlyArray<Operation> => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: "api", components: document.components })
  /** References go into the document's components. */
  const compiled = (schema: Schema) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as object)
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const validators = new Map(
        Object.entries(described.responses).map(([status, { content }]) => {
          const schema = jsonSchema(content)
          return [Number(status), schema === undefined ? undefined : compiled(schema)] as const
        })
      )
      return {
        method: method.toUpperCase(),
        path,
        pathNames: named(described, "path"),
        queryNames: named(described, "query"),
        needsKey: named(described, "header").includes("idempotency-key"),
        body: jsonSchema(described.requestBody?.content),
        judge: (status, body) => {
          if (!validators.has(status)) return `answers ${status}, which is not documented`
          const validate = validators.get(status)
          if (validate === undefined || validate(body)) return undefined
          return `answers ${status} in another shape: ${ajv.errorsText(validate.errors)}`
        }
      }
    })
  )
}

export const resolved = (document: ApiDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)!]!

/** `/emails/logs/{deliveryId}` matches any one segment in its place. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{[^}]+\}/g, "[^/]+")}$`)

/** Finds the operation that a request is for, by its method and path. */
export const operationFinder = (document: ApiDocument) => {
  const operations = operationsOf(document).map((operation) => ({ operation, pattern: patternOf(operation.path) }))
  return (method: string, path: string): Operation | undefined =>
    operations.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation
}

/** Judges a value by a schema of the document: what is wrong with it, or nothing. */
export const bodyJudge = (document: ApiDocument) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: "api", components: document.components })
  return (schema: string, value: unknown): string | undefined => {
    const validate = ajv.getSchema(`api#/components/schemas/${schema}`)!
    return validate(value) === true ? undefined : ajv.errorsText(validate.errors)
  }
}
