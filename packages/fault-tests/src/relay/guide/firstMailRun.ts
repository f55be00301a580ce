/**
 * Runs every command of the guide "Send your first mail" as a newcomer does. Only the port of the guide is replaced by a free one.
 */
import type { FaultRun } from "../../FaultRun.ts"
import { freePort } from "@mailkeep/test-support/freePort"
import { blocksOf, guide, Newcomer } from "./newcomer.ts"

export const firstMailRun = async (): Promise<FaultRun> => {
  const port = String(await freePort())
  const blocks = blocksOf(guide("send-your-first-mail.md").replaceAll("4025", port))
  await using newcomer = new Newcomer()
  newcomer.set("MAILKEEP_PORT", port)
  const failures: Array<string> = []
  for (const block of blocks) {
    if (block.startsWith("npx mailkeep serve")) await newcomer.start(block)
    else if (block.includes("/emails/logs")) {
      if (!(await newcomer.until(block, `"status":"delivered"`))) failures.push("the log shows no delivered mail")
    } else await newcomer.run(block)
  }
  return { counts: { "blocks of the first guide": blocks.length }, failures }
}
