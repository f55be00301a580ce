import { describe, expect, it } from "vitest"
import { isWebhookAddress, webhookUrlRules, webhookUrlProblem } from "../../../src/domain/webhook/WebhookUrl.ts"

const thisMachine =
  "must be https with a public address; for development, the operator can allow this machine: allowLoopback, --allow-loopback-webhooks"

const problem = (url: string, rules: Parameters<typeof webhookUrlRules>[0] = {}) =>
  webhookUrlProblem(url, webhookUrlRules(rules))

describe("webhookUrlProblem and webhookUrlRules", () => {
  it.each([
    ["https://hooks.example.net/a", undefined],
    ["https://hooks.example.net:443/a", undefined],
    ["https://hooks.example.net:8443/a", undefined],
    ["https://8.8.8.8/", undefined],
    ["https://hooks.example.net:22/", "must use port 443 or 8443"],
    ["https://hooks.example.net:80/", "must use port 443 or 8443"],
    ["http://hooks.example.net/", "must be https"],
    ["https://me:secret@hooks.example.net/", "must not hold a user name or password"],
    ["https://168.63.129.16/", "must not be a private, local or metadata address"],
    ["https://169.254.169.254/", "must not be a private, local or metadata address"],
    ["https://[fd00:ec2::254]/", "must not be a private, local or metadata address"],
    ["https://localhost/", thisMachine],
    ["https://localhost./", thisMachine],
    ["https://a.localhost./", thisMachine],
    ["http://localhost:3000/hook", thisMachine],
    ["http://127.0.0.1/", thisMachine],
    ["https://[::1]:8080/", thisMachine],
    ["ftp://localhost/", thisMachine],
    ["nonsense", "must be a URL"],
    ["https://hooks.example.net/a\nb", "must be a URL"],
    [" https://hooks.example.net/a", "must be a URL"],
    ["https://hooks.example.net/a b", "must be a URL"],
    ["https://hooks.example.net/\u0007", "must be a URL"],
    ["https://hooks.example.net/é?q=%20", undefined]
  ])("checks the webhook URL %j: %s", (url, expected) => expect(problem(url)).toBe(expected))

  it("allows only the ports of the rules", () => {
    expect(problem("https://hooks.example.net:9443/", { ports: [9443] })).toBeUndefined()
    expect(problem("https://hooks.example.net/", { ports: [9443] })).toBe("must use port 9443")
  })

  it("refuses an address that the rules deny", () => {
    const rules = { deniedAddresses: ["8.8.0.0/16", "2001:4860::/32"] }
    expect(problem("https://8.8.8.8/", rules)).toBe("must not be an address that the operator denies")
    expect(problem("https://[2001:4860:4860::8888]/", rules)).toBe("must not be an address that the operator denies")
    expect(problem("https://1.1.1.1/", rules)).toBeUndefined()
  })

  it("allows a loopback URL with any port and http when allowLoopback is set", () => {
    for (const url of ["http://127.0.0.1:1234/", "http://localhost:80/", "https://[::1]:9/"])
      expect(problem(url, { allowLoopback: true })).toBeUndefined()
    expect(problem("http://hooks.example.net/", { allowLoopback: true })).toBe("must be https")
    expect(problem("https://10.0.0.1/", { allowLoopback: true })).toBe(
      "must not be a private, local or metadata address"
    )
  })

  it.each([
    ["8.8.8.8", true, true],
    ["127.0.0.1", false, true],
    ["::1", false, true],
    ["10.0.0.1", false, false],
    ["169.254.169.254", false, false],
    ["fd00:ec2::254", false, false]
  ])("decides about the resolved address %s without and with allowLoopback", (address, without, withLoopback) => {
    expect(isWebhookAddress(address, webhookUrlRules())).toBe(without)
    expect(isWebhookAddress(address, webhookUrlRules({ allowLoopback: true }))).toBe(withLoopback)
    const denied = webhookUrlRules({ allowLoopback: true, deniedAddresses: [address] })
    expect(isWebhookAddress(address, denied)).toBe(false)
  })

  it("refuses rules with a denied address that is not an IP address", () =>
    expect(() => webhookUrlRules({ deniedAddresses: ["example.com"] })).toThrow(
      'deniedAddresses: "example.com" is not an IP address'
    ))
})
