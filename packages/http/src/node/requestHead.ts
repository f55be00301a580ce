/**
 * Refuses some heads that can be parsed. Source: RFC 9110 (10.1.1), RFC 9112 (3.2, 6.1), decision 0009.
 */
import type { RawRefusal } from "./refusal.ts"

export interface RequestHead {
  readonly httpVersion: string
  readonly headersDistinct: NodeJS.Dict<ReadonlyArray<string>>
}

export const unknownTransferCoding: RawRefusal = {
  status: 501,
  message: "The only transfer coding that is supported is chunked."
}

export const unknownExpectation: RawRefusal = {
  status: 417,
  message: "The only expectation that is supported is 100-continue."
}

/** The refusal of the head, or `undefined` if the request may be handled. */
export const headRefusal = ({ httpVersion, headersDistinct }: RequestHead): RawRefusal | undefined => {
  const hosts = headersDistinct["host"] ?? []
  if (hosts.length > 1)
    return { status: 400, message: "must be given once", issue: { header: "host", code: "invalid_value" } }
  if (hosts.length === 0 && httpVersion === "1.1")
    return { status: 400, message: "is required", issue: { header: "host", code: "required" } }
  const codings = headersDistinct["transfer-encoding"]
  if (codings !== undefined && codings.join(",").trim().toLowerCase() !== "chunked") return unknownTransferCoding
  return undefined
}
