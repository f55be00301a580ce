/**
 * A server with a verified domain, and the commands for records that a test runs beside it.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { runJson, serve } from "./commandLine.ts"

export type RecordServer = Awaited<ReturnType<typeof openRecordServer>>

export const openRecordServer = async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-cli-"))
  /** The options that name the data and the project. */
  const here = ["--data", join(folder, "data"), "--project", "prj_x"]
  const server = await serve(["serve", "--data", join(folder, "data"), "--port", "0", "--allow-loopback-webhooks"])
  await runJson(["domains", "add", "example.com", ...here, "--verified"])
  return {
    folder,
    here,
    send: (to: string, subject: string, text: string) =>
      runJson(["send", ...here, "--from", "hello@example.com", "--to", to, "--subject", subject, "--text", text]),
    /** Writes a file, and returns its path. */
    file: (name: string, text: string): string => {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    },
    close: async () => {
      await server.kill("SIGKILL")
      rmSync(folder, { recursive: true })
    }
  }
}
