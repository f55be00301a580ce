/**
 * The routes of a mounted interface by method and path, for the `Allow` field of a 405 and for the names of spans.
 */
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import { mailboxRoutes } from "../mailbox/mailbox.ts"
import type { MountedApi } from "./endpointParts.ts"
import { routerConfig } from "./routerConfig.ts"
import { unsubscribeRoute } from "./unsubscribePage.ts"

export interface RouteTable {
  /** The route with the names of its parameters, or `undefined` for an unknown path. */
  readonly routeOf: (method: string, url: string) => string | undefined
  /** The methods of the endpoint or page at a path; a path with `GET` also has `HEAD`. */
  readonly allowedMethods: (url: string) => ReadonlyArray<string>
}

/** The pages beside the endpoints. */
export interface MountedPages {
  /** The OpenAPI document and its page. */
  readonly docs: boolean
  /** The development mailbox. */
  readonly mailbox: boolean
}

export const routeTableOf = (api: MountedApi, { docs, mailbox }: MountedPages): RouteTable => {
  const endpoints = FindMyWay.make<string>(routerConfig)
  const pages = FindMyWay.make<string>(routerConfig)
  const pageMethods = ["GET", "POST"] as const
  const methods = new Set<string>(pageMethods)
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      methods.add(method)
      endpoints.on(method, path as `/${string}`, path)
    }
  })
  for (const method of pageMethods) pages.on(method, unsubscribeRoute, unsubscribeRoute)
  if (mailbox) for (const method of pageMethods) for (const path of mailboxRoutes) pages.on(method, path, path)
  if (docs) for (const path of ["/openapi.json", "/docs"] as const) pages.on("GET", path, path)

  const routeOf = (method: string, url: string): string | undefined => {
    const served = (method === "HEAD" ? "GET" : method) as "GET"
    return (endpoints.find(served, url) ?? pages.find(served, url))?.handler
  }
  const allowedMethods = (url: string): ReadonlyArray<string> =>
    [...methods]
      .filter((method) => routeOf(method, url) !== undefined)
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
  return { routeOf, allowedMethods }
}
