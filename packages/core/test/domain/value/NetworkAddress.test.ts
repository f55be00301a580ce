import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  hostAndPort,
  isInRange,
  isIpLiteral,
  isLoopbackAddress,
  isLoopbackHost,
  isPublicAddress,
  isAddressRange
} from "../../../src/domain/value/NetworkAddress.ts"

const notPublic = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "100.100.100.200",
  "192.0.0.8",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.9",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::8.8.8.8",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:0:8.8.8.8",
  "64:ff9b::8.8.8.8",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "2620:4f:8000::1",
  "3fff::1",
  "3fff:fff::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1"
]

const publicAddresses = [
  "1.1.1.1",
  "168.63.129.15",
  "168.63.129.17",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.0.1",
  "172.32.0.1",
  "198.17.0.1",
  "198.20.0.1",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "2001:4860:4860::8888",
  "2003::1"
]

describe("isPublicAddress and isLoopbackAddress", () => {
  it.each(notPublic)("reports that %s is not a public address", (address) =>
    expect(isPublicAddress(address)).toBe(false)
  )
  it.each(publicAddresses)("reports that %s is a public address", (address) =>
    expect(isPublicAddress(address)).toBe(true)
  )

  it.each([
    "localhost",
    "example.com",
    "1.2.3",
    "256.1.1.1",
    "1.2.3.4.5",
    ":::",
    "1::2::3",
    "12345::",
    "::1.2.3",
    "g::1",
    ""
  ])("refuses %j as an address", (text) => expect(isPublicAddress(text)).toBeUndefined())

  it("gives the same result for every notation of zeros", () => {
    const group = fc.oneof(fc.constant(0), fc.constant(0x2001), fc.integer({ min: 0, max: 0xffff }))
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const long = groups.map((group) => group.toString(16).padStart(4, "0")).join(":")
        const short = groups.map((group) => group.toString(16)).join(":")
        const compressed = short.replace(/(?:^|:)0(?::0)*(?::|$)/, "::")
        expect(isPublicAddress(long)).toBeTypeOf("boolean")
        expect(isPublicAddress(short.toUpperCase())).toBe(isPublicAddress(long))
        expect(isPublicAddress(compressed)).toBe(isPublicAddress(long))
      })
    )
  })

  it("recognizes loopback addresses in IPv4, IPv6 and IPv4-mapped IPv6", () => {
    for (const local of ["127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"])
      expect(isLoopbackAddress(local)).toBe(true)
    for (const other of ["128.0.0.1", "::2", "::ffff:8.8.8.8", "localhost", "1::1"])
      expect(isLoopbackAddress(other)).toBe(false)
  })
})

describe("hostAndPort", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1:25"],
    ["mail.example", "mail.example:25"],
    ["::1", "[::1]:25"]
  ])("writes %s as %s", (host, text) => {
    expect(hostAndPort(host, 25)).toBe(text)
  })
})

describe("isLoopbackHost and isIpLiteral", () => {
  it.each<[host: string, isLoopback: boolean, isLiteral: boolean]>([
    ["localhost", true, false],
    ["shop.localhost", true, false],
    ["localhost.", true, false],
    ["shop.localhost.", true, false],
    ["localhost..", false, false],
    ["127.0.0.1", true, true],
    ["127.9.9.9", true, true],
    ["::1", true, true],
    ["::ffff:127.0.0.1", true, true],
    ["192.0.2.1", false, true],
    ["::", false, true],
    ["127.0.0.1.example", false, false],
    ["notlocalhost", false, false],
    ["localhost.example", false, false],
    ["", false, false]
  ])("recognizes whether %j is this machine, and whether it is an address", (host, isLoopback, isLiteral) => {
    expect([isLoopbackHost(host), isIpLiteral(host)]).toEqual([isLoopback, isLiteral])
  })
})

describe("isInRange and isAddressRange", () => {
  it.each([
    ["10.1.2.3", "10.0.0.0/8", true],
    ["11.0.0.0", "10.0.0.0/8", false],
    ["203.0.113.7", "203.0.113.7", true],
    ["203.0.113.8", "203.0.113.7", false],
    ["203.0.113.8", "203.0.113.9/31", true],
    ["203.0.113.10", "203.0.113.9/31", false],
    ["1.2.3.4", "0.0.0.0/0", true],
    ["2001:db8::1", "2001:db8::/32", true],
    ["2001:db9::1", "2001:db8::/32", false],
    ["::1", "0.0.0.0/0", false],
    ["10.0.0.1", "::/0", false],
    ["localhost", "0.0.0.0/0", false],
    ["10.0.0.1", "10.0.0.0/33", false]
  ])("decides whether %s is in the range %s: %s", (address, range, expected) =>
    expect(isInRange(address, range)).toBe(expected)
  )

  it.each(["10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/", "10.0.0/8", "::/129", "example.com", ""])(
    "refuses %j as a range",
    (text) => expect(isAddressRange(text)).toBe(false)
  )
})
