/**
 * The exported functions of the Next.js route, called as Next.js calls them: with a web-standard request. Next.js itself is not installed, because
 * its compiler takes more than 100 MB.
 */
import { deepStrictEqual } from "node:assert/strict"
import { it } from "node:test"
import * as routeFile from "../src/next.ts"
import { testProduct } from "./behavior.ts"
import { ownMail } from "./ownMail.ts"

/** The names that Next.js reads from a route file. It refuses other names in a build. */
const { runtime, dynamic, ...methods } = routeFile
const functions: Readonly<Record<string, (request: Request) => Promise<Response>>> = methods

testProduct("a Next.js route", async () => ({
  ...(await ownMail()),
  // Next.js calls the function of the method. A path that does not match the folder of the route gets a 404 of Next.js.
  fetch: (path, init) => {
    const request = new Request(`https://shop.example${path}`, init)
    return path.startsWith("/mail/")
      ? functions[request.method]!(request)
      : Promise.resolve(new Response("", { status: 404 }))
  }
}))

it("exports only what a Next.js route may have, with every method of the interface", () => {
  deepStrictEqual([runtime, dynamic], ["nodejs", "force-dynamic"])
  deepStrictEqual(Object.keys(functions).toSorted(), ["DELETE", "GET", "PATCH", "POST", "PUT"])
})
