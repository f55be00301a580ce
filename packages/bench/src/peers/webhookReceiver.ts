/**
 * The process of a webhook receiver. Sends its port to the parent process, then a message each time that it has one of the given numbers of
 * requests. `/silent` gets no answer.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const counts = new Set(process.argv.slice(2).map(Number))
const ids = new Set<string>()

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    if (request.url === "/silent") return
    response.writeHead(204).end()
    const id = request.headers["webhook-id"] as string
    if (!ids.has(id) && counts.has(ids.add(id).size)) process.send!("reached")
  })
}).listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port))
process.once("disconnect", () => process.exit())
