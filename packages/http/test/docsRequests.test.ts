/**
 * Runs the scripts of the docs page in a browser environment without the protection of its content security policy, and records what it requests.
 */
import { openTestMail, stores } from "@mailkeep/test-support"
import { Window } from "happy-dom"
import { describe, expect, it } from "vitest"
import { fetchHandler } from "../src/server/fetchHandler.ts"

const scripts = /<script>([\s\S]*?)<\/script>/g
const address = "https://shop.example/mail/docs"

const pageOf = async (basePath: string): Promise<string> => {
  const core = await openTestMail(stores[0])
  const { handler, dispose } = fetchHandler(core, { basePath, endpoints: ["send"] })
  const html = await (await handler(new Request(address))).text()
  await dispose()
  await core.dispose()
  return html
}

/** A window that answers every request with 404. */
const openWindow = () => {
  const requested: Array<string> = []
  const window = new Window({
    url: address,
    settings: {
      enableJavaScriptEvaluation: true,
      suppressInsecureJavaScriptEnvironmentWarning: true,
      fetch: {
        interceptor: {
          beforeAsyncRequest: async ({ request, window: { Response: WindowResponse } }) => {
            requested.push(request.url)
            return new WindowResponse("", { status: 404 })
          }
        }
      }
    }
  })
  const record = (url: unknown) => void requested.push(String(url))
  const beacons: Pick<Navigator & { sendBeacon: (url: string) => boolean }, "sendBeacon"> = {
    sendBeacon: (url) => {
      record(url)
      return true
    }
  }
  Object.assign(window.navigator, beacons)
  return { window, requested }
}

/** The addresses of files that the elements and the styles of the page name, except data in the page itself. */
const filesOf = ({ document }: Window): ReadonlyArray<string> => {
  const named = [...document.querySelectorAll("[src], link[href], [srcset], [poster]")].map((element) =>
    ["src", "href", "srcset", "poster"].map((name) => element.getAttribute(name)).find((value) => value !== null)!
  )
  const styles = [...document.querySelectorAll("style")].map(({ textContent }) => textContent).join("\n")
  const inStyles = [...styles.matchAll(/(?:@import\s+(?:url\()?|url\()\s*["']?([^"')\s]+)/g)].map(([, url]) => url!)
  return [...named, ...inStyles].filter((url) => url !== "" && !/^(?:data:|blob:|#)/.test(url))
}

describe("the docs page in a browser", () => {
  it("shows the interface and requests nothing from any host", async () => {
    const html = await pageOf("/mail")
    const { window, requested } = openWindow()
    window.document.write(html.replaceAll(scripts, ""))
    for (const [, script] of html.matchAll(scripts)) window.eval(script!)
    await expect.poll(() => window.document.body.textContent, { timeout: 60_000 }).toContain("Reschedule a scheduled")
    await window.happyDOM.waitUntilComplete()
    expect(window.document.body.innerHTML).toContain("/mail/api/v1/emails/send")
    expect(filesOf(window)).toEqual([])
    expect(requested).toEqual([])

    // The record is not blind: the same page would show these.
    window.eval(
      'fetch("https://other.example/a"); const x = new XMLHttpRequest(); x.open("GET", "https://other.example/b"); x.send()'
    )
    window.eval('navigator.sendBeacon("https://other.example/c")')
    window.eval('document.head.insertAdjacentHTML("beforeend", "<style>@import url(https://other.example/d)</style>")')
    await expect
      .poll(() => requested.toSorted())
      .toEqual(["a", "b", "c"].map((path) => `https://other.example/${path}`))
    expect(filesOf(window)).toContain("https://other.example/d")
    await window.happyDOM.close()
  }, 120_000)
})
