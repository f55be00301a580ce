/**
 * What `postgres` and `migratePostgres` refuse before they connect. No test here needs a server.
 */
import { execFileSync } from "node:child_process"
import { Client, Pool } from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import type { PostgresStoreOptions } from "../src/postgres.ts"
import { migratePostgres, postgres } from "../src/postgres.ts"
import { rejection } from "./testMail.ts"

const refusalOf = (connection: unknown): string => {
  try {
    postgres(connection as string)
  } catch (cause) {
    expect(cause).toBeInstanceOf(TypeError)
    return (cause as TypeError).message
  }
  throw new Error("Nothing was refused.")
}

const urlForm = "must have the form postgres://user:password@host/database or postgresql://…."

describe("postgres", () => {
  it.each([undefined, null, "", 5, true])("refuses %j, which is neither a pool nor a URL", (connection) => {
    expect(refusalOf(connection)).toBe(
      'postgres needs a pool of pg or a URL, such as postgres("postgres://db.example/shop").'
    )
  })

  it.each(["shop", "mysql://a:hunter2@b/c", "a:hunter2@b/c", "postgres:a", "postgres://a:hunter2@b:port/c"])(
    "refuses the text %s and does not show it",
    (text) => {
      expect(refusalOf(text)).toBe(`The URL ${urlForm}`)
      expect(refusalOf({ connectionString: text })).toBe(`connectionString ${urlForm}`)
      expect(refusalOf({ connectionString: "postgres://db.example/shop", listen: text })).toBe(`listen ${urlForm}`)
    }
  )

  it.each([
    "postgres://mail:hunter2@one.example,two.example/shop",
    "postgresql://one.example:5432,two.example:5433/shop",
    "postgres://mail@/shop?host=one.example,two.example"
  ])("refuses %s, which names several hosts", (text) => {
    expect(refusalOf(text)).toBe(
      "The URL names several hosts, and pg connects to one. Give an address that always leads to the primary."
    )
  })

  it.each([
    "postgres://mail:1hunter@2/3word@db.example/shop",
    "postgres://mail:12/hunter@db.example/shop",
    "postgres://mail:12?hunter@db.example/shop",
    "postgres://mail:12#hunter@db.example/shop"
  ])("refuses %s, whose password is not encoded, and does not show it", (text) => {
    const sentence =
      "has an @ behind its host. Encode the user and the password: / is %2F, ? is %3F, # is %23 and @ is %40."
    expect(refusalOf(text)).toBe(`The URL ${sentence}`)
    expect(refusalOf({ connectionString: text })).toBe(`connectionString ${sentence}`)
  })

  it.each([
    "postgres://db.example/shop",
    "POSTGRESQL://mail:p%2Fw@db.example:5433/shop?sslmode=require",
    "postgres:///shop?host=/var/run/postgresql",
    "postgres://mail:password@/shop?host=/var/run/postgresql",
    "postgres://mail@[::1]/shop",
    "postgres://mail:p,w@db.example/shop?application_name=a,b",
    "postgres://db.example/shop?user=mail@acme",
    "postgres://mail:p@ss@db.example/shop%40home",
    "postgres://%2Fvar%2Frun%2Fpostgresql/shop"
  ])("takes the URL %s", (url) => {
    expect(postgres(url)).toHaveProperty("layer")
    expect(postgres({ connectionString: url, connectionsMax: 3, listen: true })).toHaveProperty("layer")
  })

  it.each([
    ["max", { connectionString: "postgres://db.example/shop", max: 3 }],
    ["shema", { connectionString: "postgres://db.example/shop", shema: "mail" }]
  ])("refuses the unknown option %s, and names the options", (name, options) => {
    expect(refusalOf(options)).toBe(
      `"${name}" is not an option of postgres. The options are pool, connectionString, connectionsMax, schema, migrate, partitions, allowAsynchronousCommit, storageKeepsCommits, listen.`
    )
  })

  it.each([
    ["migrate", "false", "true or false."],
    ["allowAsynchronousCommit", "false", "true or false."],
    ["storageKeepsCommits", 0, "true or false."],
    ["schema", 5, "the name of a schema."]
  ])("refuses the option %s when it is %j", (name, value, form) => {
    expect(refusalOf({ connectionString: "postgres://db.example/shop", [name]: value })).toBe(`${name} must be ${form}`)
  })

  it.each([5, null, {}])("refuses %j as the option listen", (listen) => {
    expect(refusalOf({ connectionString: "postgres://db.example/shop", listen })).toBe(`listen ${urlForm}`)
  })

  it("refuses a URL with an option of the command", () => {
    const url = "postgres://mail:secret@db.example/shop?sslmode=require&mailkeep_schema=mail"
    const sentence = "has the parameter mailkeep_schema, which only the command reads. Give the option instead."
    expect([refusalOf(url), refusalOf({ connectionString: url })]).toEqual([
      `The URL ${sentence}`,
      `connectionString ${sentence}`
    ])
  })

  it.each([{}, { schema: "mail" }, { connectionString: undefined }])(
    "refuses options without a pool: %j",
    (options) => {
      expect(refusalOf(options)).toBe(`connectionString ${urlForm}`)
    }
  )

  it("takes a pool, and refuses a client of pg and other values in its place", () => {
    const pool = new Pool()
    onTestFinished(() => pool.end())
    const client = new Client()
    expect(postgres(pool)).toHaveProperty("layer")
    expect(postgres({ pool, schema: "mail" })).toHaveProperty("layer")
    expect(refusalOf(client)).toBe("pool must be a pool of pg and not a client.")
    expect(refusalOf({ pool: client })).toBe("pool must be a pool of pg and not a client.")
    expect(refusalOf({ pool: "postgres://db.example/shop" })).toBe("pool must be a pool of pg.")
  })

  it.each([
    ["connectionString", "postgres://db.example/shop"],
    ["connectionsMax", 3]
  ])("refuses the option %s together with a pool", (name, value) => {
    const pool = new Pool()
    onTestFinished(() => pool.end())
    expect(refusalOf({ pool, [name]: value })).toBe(
      `${name} is not allowed together with pool, which has its own connections.`
    )
    expect(postgres({ pool, [name]: undefined } as unknown as PostgresStoreOptions)).toHaveProperty("layer")
  })

  it("says how to install the package when it is missing", () => {
    const code = `
      import { registerHooks } from "node:module"
      // Node searches for the package where none is installed.
      registerHooks({ resolve: (name, context, next) =>
        next(name, name === "@mailkeep/postgres" ? { ...context, parentURL: "file:///" } : context) })
      const { openMail, stub } = await import("mailkeep")
      const { migratePostgres, postgres } = await import("mailkeep/postgres")
      const url = "postgres://127.0.0.1:9/shop"
      const show = ({ message, cause }) => console.log(message, cause.code)
      await openMail({ store: postgres(url), transport: stub() }).catch(show)
      await migratePostgres(url).catch(show)
    `
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", code], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      timeout: 120_000
    })
    const line =
      'The package @mailkeep/postgres is not installed. Run "npm install @mailkeep/postgres". ERR_MODULE_NOT_FOUND'
    expect(output.trim().split("\n")).toEqual([line, line])
  })
})

describe("migratePostgres", () => {
  it("rejects with a TypeError for a text of another form", async () => {
    for (const wrong of ["shop", { connectionString: "mysql://a@b/c" }, { max: 3 } as unknown as PostgresStoreOptions])
      expect(await rejection(migratePostgres(wrong))).toBeInstanceOf(TypeError)
  })
})
