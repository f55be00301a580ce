/**
 * Runs the server until it is stopped: `node src/main.ts [FILE]`.
 */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { createApiKey, openShopMail } from "./mail.ts"
import { makeShop } from "./shop.ts"

const print = (line: string) => process.stdout.write(`${line}\n`)

const stopSignal = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")])

const mail = await openShopMail(process.argv[2] ?? "shop.db")
const server = makeShop(mail).listen(Number(process.env["PORT"] ?? 0), "127.0.0.1")
await once(server, "listening")
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
print(`listening on ${address}`)
print(`curl ${address}/mail/api/v1/emails/logs -H 'Authorization: Bearer ${await createApiKey(mail)}'`)

await stopSignal
server.close()
server.closeIdleConnections()
await once(server, "close")
await mail.close()
print("stopped")
