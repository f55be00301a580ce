/**
 * Requests that the server refuses before it reads the store: wrong API keys and malformed HTTP.
 */
import type { Attack } from "../Attack.ts"
import { paced } from "../Attack.ts"
import { exchange, requestBytes } from "../rawHttp.ts"

const wrongKeys = [
  "",
  "mk_",
  "x".repeat(4000),
  `mk_${"a".repeat(12)}_${"b".repeat(32)}`,
  `mk_${"0".repeat(12)}_${"0".repeat(32)}`
]

const get = "GET /api/v1/emails/logs HTTP/1.1\r\n"

/** Each request violates HTTP in a different way. */
const broken: ReadonlyArray<Buffer> = [
  `${get}Host: a\r\nHost: b\r\nConnection: close\r\n\r\n`,
  `${get}Connection: close\r\n\r\n`,
  "GET / HTTP/9.9\r\n\r\n",
  "\u0000\u0001\u0002\r\n\r\n",
  `${get}Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
  `${get}Host: a\r\nContent-Length: -1\r\nConnection: close\r\n\r\n`,
  `${get}Host: a\r\nTransfer-Encoding: gzip\r\nConnection: close\r\n\r\n`,
  `${get}Host: a\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n`,
  `${get}Host: a\r\nX-Long: ${"x".repeat(70_000)}\r\nConnection: close\r\n\r\n`,
  `${get}Host: a\r\n${"A: b\r\n".repeat(5000)}Connection: close\r\n\r\n`,
  `GET /${"x".repeat(70_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  `POST /api/v1/emails/send HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n`
].map((text) => Buffer.from(text, "latin1"))

export const malformedRequestAttacks: ReadonlyArray<Attack> = [
  {
    name: "wrong API keys",
    bound: "50 per second, 50 at once",
    run: (context) => {
      const requests = wrongKeys.map((apiKey) => requestBytes({ method: "GET", path: "/emails/logs", apiKey }))
      return paced({ everyMillis: 20, atOnceMax: 50 }, context, (n) =>
        exchange(context.address, requests[n % requests.length]!, context.signal)
      )
    }
  },
  {
    name: "malformed HTTP",
    bound: "20 per second, 20 at once",
    run: (context) =>
      paced({ everyMillis: 50, atOnceMax: 20 }, context, (n) =>
        exchange(context.address, [broken[n % broken.length]!], context.signal)
      )
  }
]
