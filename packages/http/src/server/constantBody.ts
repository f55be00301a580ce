/**
 * The bodies of the pages that never change. Anyone may ask for such a page, also without an API key, so it is compressed once and not for each
 * request. Source: decision 0032.
 */
import { Effect } from "effect"
import type { HttpPlatform } from "effect/http"
import { HttpBody, HttpServerResponse } from "effect/http"

type Compression = HttpPlatform.HttpPlatform["Service"]["compression"]

/** The compressed forms of each body that never changes, by the algorithm. A form that is being made is a promise for every request. */
const formsByBody = new WeakMap<Uint8Array, Map<string, Promise<Uint8Array>>>()

/** Returns the response with a body that every request shares. */
export const withConstantBody = (
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag !== "Uint8Array") return response
  const bytes = body.body
  formsByBody.set(bytes, new Map())
  // Without its text, which would be kept too.
  return HttpServerResponse.setBody(response, HttpBody.uint8Array(bytes, body.contentType))
}

/** The body of the response if every request shares it, otherwise `undefined`. */
const constantBodyOf = ({ body }: HttpServerResponse.HttpServerResponse) =>
  body._tag === "Uint8Array" && body.text === undefined && formsByBody.has(body.body) ? body : undefined

/** Whether the body of the response is one that every request shares. */
export const hasConstantBody = (response: HttpServerResponse.HttpServerResponse): boolean =>
  constantBodyOf(response) !== undefined

const bytesOf = async (response: Effect.Effect<HttpServerResponse.HttpServerResponse>): Promise<Uint8Array> =>
  new Uint8Array(await HttpServerResponse.toWeb(await Effect.runPromise(response)).arrayBuffer())

/** The same compression, but a body that never changes is compressed once by each algorithm. */
export const compressConstantsOnce = (compression: Compression): Compression => ({
  algorithms: compression.algorithms,
  compressResponse: (response, algorithm, options) => {
    const compressed = compression.compressResponse(response, algorithm, options)
    const body = constantBodyOf(response)
    if (body === undefined) return compressed
    return Effect.map(
      Effect.promise(() => {
        const forms = formsByBody.get(body.body)!
        const existing = forms.get(algorithm)
        if (existing !== undefined) return existing
        const form = bytesOf(compressed)
        forms.set(algorithm, form)
        // After a failure, the next request tries again.
        form.catch(() => forms.delete(algorithm))
        return form
      }),
      (bytes) =>
        HttpServerResponse.setHeaders(
          HttpServerResponse.setBody(response, HttpBody.uint8Array(bytes, body.contentType)),
          { "content-encoding": algorithm, vary: "Accept-Encoding", "content-length": String(bytes.length) }
        )
    )
  }
})
