/**
 * The rules for the options of the Node server and of the operations server. Without them, a limit that is not a number would be no limit.
 */
import type { OptionRules } from "@mailkeep/core/options"
import { mustBe, timerMillisMax, wholeOption } from "@mailkeep/core/options"
import type { ServerLimits } from "./limits.ts"

const count = wholeOption(1, Number.MAX_SAFE_INTEGER)
const millis = wholeOption(1, timerMillisMax)

/** A rule for each limit of the Node server. */
export const limitRules: OptionRules<ServerLimits> = {
  bodyBytesMax: count,
  bodyBytesPerApiKeyMax: count,
  largeBodyBytesMax: count,
  largeBodyBytesPerApiKeyMax: count,
  bodyMillis: millis,
  connectionsMax: count,
  connectionsPerAddressMax: (value, path) => (value === Number.POSITIVE_INFINITY ? undefined : count(value, path)),
  keepAliveMillis: millis,
  headMillis: millis,
  stallMillis: millis,
  responseMillis: millis,
  responseBytesMax: count,
  readsMax: count,
  readsPerApiKeyMax: count,
  readBytesPerSecond: count,
  graceMillis: wholeOption(0, timerMillisMax)
}

/** The rules for the address on which a server listens. */
export const addressRules: OptionRules<{ readonly host: string; readonly port: number }> = {
  host: mustBe("an address or a host name", (value) => typeof value === "string" && value !== ""),
  port: wholeOption(0, 65_535)
}
