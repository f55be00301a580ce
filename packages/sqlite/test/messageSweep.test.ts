import { execFileSync } from "node:child_process"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { filesOfEachTest, open } from "./openedFile.ts"

const { file } = filesOfEachTest()

/** A body of 2 MiB, which needs twice the memory, because not all of its characters are Latin. */
const body = `€${"x".repeat(2 * 1024 * 1024 - 3)}`

const insertSql = `INSERT INTO mailkeep_messages (
  id, project_id, source, "from", domain, subject, html, "to", cc, headers, attachments, list_unsubscribe, metadata, idempotency_key, created_at
) VALUES (?, 'prj_a', 'api', 'a@x.example', 'x.example', '', ?, '[]', '[]', '{}', '[]', 0, '{}', '', 1)`

it("sweeps messages in less memory than their bodies need", async () => {
  await Effect.runPromise(open(file()))
  const database = new Database(file())
  const insert = database.prepare(insertSql)
  for (let n = 0; n < 25; n++) insert.run(`msg_${n}`, body)
  database.close()
  const source = (name: string) => JSON.stringify(new URL(`../src/internal/${name}`, import.meta.url).href)
  const program = `
    import Database from "better-sqlite3"
    import { sweepMessages } from ${source("messageSweep.ts")}
    import { prepared } from ${source("recordTable.ts")}
    const connection = prepared(new Database(${JSON.stringify(file())}))
    console.log(sweepMessages(connection, { before: 2, after: null, limit: 100 }).deleted)
  `
  const flags = ["--max-old-space-size=64", "--input-type=module", "--eval", program]
  const output = execFileSync(process.execPath, flags, { cwd: import.meta.dirname, encoding: "utf8", stdio: "pipe" })
  expect(output.trim()).toBe("25")
})
