/**
 * The process of a webhook receiver. Sends its port to the parent process, then a message when it has the given number of requests. `/silent` gets no
 * answer.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const count = Number(process.argv[2])
const ids = new Set<string>()

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    if (request.url === "/silent") return
    response.writeHead(204).end()
    const id = request.headers["webhook-id"] as string
    if (!ids.has(id) && ids.add(id).size === count) process.send!("reached")
  })
}).listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port))
process.once("disconnect", () => process.exit())
