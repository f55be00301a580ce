/**
 * What the sink refuses as options. A misspelled `deniedAddresses` would deny nothing.
 */
import { describe, expect, it } from "vitest"
import type { WebhookSinkOptions } from "../src/WebhookSink.ts"
import { WebhookSink } from "../src/index.ts"

describe("the options of a webhook sink", () => {
  it.each<[string, unknown, string]>([
    ["an unknown option", { deniedAddress: ["203.0.113.0/24"] }, '"deniedAddress" is not an option of WebhookSink.'],
    ["a range without a list", { deniedAddresses: "203.0.113.0/24" }, "deniedAddresses must be a list of IP addresses"],
    ["a range that is none", { deniedAddresses: ["all"] }, "deniedAddresses must be a list of IP addresses"],
    ["a port as text", { ports: ["443"] }, "ports must be a list of ports from 1 to 65535."],
    ["a flag as text", { allowLoopback: "no" }, "allowLoopback must be true or false."],
    ["a name server without a list", { nameServers: "127.0.0.1" }, "nameServers must be a list of addresses"],
    ["a name server that is a name", { nameServers: ["dns.example"] }, "nameServers must be a list of addresses"],
    ["a certificate that is no text", { certificates: 5 }, "certificates must be PEM text, not the name of a file."],
    [
      "the name of a file with a certificate",
      { certificates: "/etc/ssl/ca.pem" },
      "certificates must be PEM text, not the name of a file."
    ],
    ["nothing", null, "The options of WebhookSink must be an object."]
  ])("refuses %s", (_, options, message) => {
    const make = () => WebhookSink.make(options as WebhookSinkOptions)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  it.each<[string, object]>([
    ["options that are undefined", { ports: undefined, certificates: undefined, nameServers: undefined }],
    ["name servers with a port", { nameServers: ["127.0.0.1", "127.0.0.1:5353", "[::1]:53", "::1"] }]
  ])("allows %s", (_, options) => {
    expect(WebhookSink.make(options as WebhookSinkOptions).capabilities.carriesHeaders).toBe(true)
  })
})
