/**
 * What the Node server and the operations server refuse as options. A limit that is not a number would be no limit.
 */
import { describe, expect, it } from "vitest"
import { layerNode, layerOperations } from "../src/node.ts"

const address = { host: "127.0.0.1", port: 0 }

describe("layerNode", () => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "The options of the Node server must be an object."],
    ["no port", { host: "127.0.0.1" }, "port must be a whole number from 0 to 65535."],
    ["a port as text", { ...address, port: "4025" }, "port must be a whole number from 0 to 65535."],
    ["an empty host", { ...address, host: "" }, "host must be an address or a host name."],
    [
      "an unknown option",
      { ...address, connectionMax: 5 },
      '"connectionMax" is not an option of the Node server. The '
    ],
    [
      "a limit that is not a number",
      { ...address, readsMax: Number.NaN },
      "readsMax must be a whole number from 1 to "
    ],
    ["a limit as text", { ...address, bodyBytesMax: "1000" }, "bodyBytesMax must be a whole number from 1 to "],
    ["a time that no timer has", { ...address, stallMillis: 2 ** 31 }, "stallMillis must be a whole number from 1 to "],
    ["a fraction of connections", { ...address, connectionsPerAddressMax: 0.5 }, "connectionsPerAddressMax must be "],
    ["a text as the mailbox", { ...address, mailbox: "yes" }, "mailbox must be true, false or "]
  ])("refuses %s", (_, options, message) => {
    expect(() => layerNode(options as never)).toThrow(TypeError)
    expect(() => layerNode(options as never)).toThrow(message)
  })

  it("takes no limit of connections of one address, no grace, and a limit that is undefined", () => {
    const options = { connectionsPerAddressMax: Number.POSITIVE_INFINITY, graceMillis: 0, readsMax: undefined }
    expect(() => layerNode({ ...address, ...options } as never)).not.toThrow()
  })
})

describe("layerOperations", () => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, "The options of the operations server must be an object."],
    ["no port", {}, "port must be a whole number from 0 to 65535."],
    ["an empty host", { host: "", port: 0 }, "host must be an address or a host name."],
    ["an unknown option", { port: 0, hots: "::1" }, '"hots" is not an option of the operations server. The ']
  ])("refuses %s", (_, options, message) => {
    expect(() => layerOperations(options as never)).toThrow(TypeError)
    expect(() => layerOperations(options as never)).toThrow(message)
  })
})
