/**
 * Runs every command of the guide "From zero to a delivered mail" as a newcomer does. The relay is a real Postfix, with a real name server and a
 * real bounce. Only names and ports of the guide are replaced by those of this machine.
 */
import type { FaultRun } from "../../FaultRun.ts"
import { unlessMissing } from "../../FaultRun.ts"
import { startCollector } from "../peers/collector.ts"
import { freePort } from "@mailkeep/test-support/freePort"
import type { NameServer, PrintedRecord } from "@mailkeep/test-support/nameServer"
import { isNameServerInstalled, startNameServer } from "@mailkeep/test-support/nameServer"
import { startPostfix } from "../peers/postfix.ts"
import { bounceHost, mailboxDomain } from "../peers/postfixConfig.ts"
import { blocksOf, guide, Newcomer } from "./newcomer.ts"
import { newFolder, removeFolder } from "@mailkeep/test-support/runEnd"

const senderDomain = bounceHost.replace(/^bounces\./, "")

interface Places {
  readonly relayPort: number
  readonly httpPort: number
  readonly bouncePort: number
}

/** The guide with the names and ports of this machine. */
const adapted = (text: string, { relayPort, httpPort, bouncePort }: Places): string =>
  text
    .replaceAll("relay.example:587", `127.0.0.1:${relayPort}`)
    .replaceAll("4025", String(httpPort))
    .replaceAll("--bounces-port 2525", `--bounces-port ${bouncePort}`)
    .replaceAll("acme.example", senderDomain)
    .replaceAll("example.org", mailboxDomain)

/** Follows the guide. Returns what did not happen as the guide says. */
const follow = async (newcomer: Newcomer, blocks: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const missed: Array<string> = []
  const expect = (what: string, holds: boolean) => {
    if (!holds) missed.push(what)
  }
  let nameServer: NameServer | undefined
  try {
    for (const block of blocks) {
      if (block.startsWith("npx mailkeep serve")) await newcomer.start(block)
      else if (block.startsWith("npx mailkeep domains add")) {
        expect("the domain prints a DKIM record", (await newcomer.run(block)).includes("_domainkey"))
        const [domain] = JSON.parse(await newcomer.run("npx mailkeep domains list --json")).domains
        nameServer = await startNameServer(senderDomain, domain.records as ReadonlyArray<PrintedRecord>)
        newcomer.set("NAME_SERVER", nameServer.address)
      } else if (block.startsWith("npx mailkeep domains verify"))
        expect("the domain is verified", (await newcomer.run(block)).startsWith(`${senderDomain} verified`))
      else if (block.startsWith("npx mailkeep logs --status bounced")) {
        expect("the bounce is in the log", await newcomer.until(block, `nobody@${mailboxDomain}`))
        expect("the address is suppressed", await newcomer.until(block, "hard_bounce"))
      } else if (block.startsWith("npx mailkeep logs"))
        expect("the mail is accepted", await newcomer.until(block, "accepted"))
      else await newcomer.run(block)
    }
  } finally {
    await nameServer?.[Symbol.asyncDispose]()
  }
  return missed
}

const followGuide = async (): Promise<FaultRun> => {
  const folder = newFolder("mailkeep-spool-")
  await using collector = await startCollector(folder)
  const bouncePort = await freePort()
  await using postfix = await startPostfix({ collectorPort: collector.port, bouncePort })
  const places = { relayPort: postfix.relayPort, httpPort: await freePort(), bouncePort }
  const blocks = blocksOf(adapted(guide("from-zero-to-a-delivered-mail.md"), places))
  await using newcomer = new Newcomer()
  const failures = await follow(newcomer, blocks)
  removeFolder(folder)
  return { counts: { "blocks of the guide to a delivered mail": blocks.length }, failures }
}

export const deliveredMailRun = (): Promise<FaultRun> =>
  unlessMissing("This run needs a name server", isNameServerInstalled() ? [] : ["knot"], followGuide)
