/**
 * The development mailbox in Chromium.
 */
import { createRequire } from "node:module"
import { readFileSync } from "node:fs"
import type { BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { MailboxBrowser } from "./mailboxBrowser.ts"
import { openMailboxBrowser, pixelPng } from "./mailboxBrowser.ts"

let mailbox: MailboxBrowser
beforeAll(async () => {
  mailbox = await openMailboxBrowser()
})
afterAll(() => mailbox.close())

/** Opens a page in a context of its own, and closes both. */
const withPage = async (path: string, options: BrowserContextOptions, use: (page: Page) => Promise<void>) => {
  const context = await mailbox.browser.newContext(options)
  try {
    const page = await context.newPage()
    await page.goto(`${mailbox.url}${path}`)
    await use(page)
  } finally {
    await context.close()
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const violationsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axeSource)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (
          options: object
        ) => Promise<{ violations: Array<{ id: string; nodes: Array<{ target: ReadonlyArray<unknown> }> }> }>
      }
    }
    // The mail in the frame is not ours.
    const { violations } = await axe.run({ iframes: false })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)
  })
}

const hostileHtml = (remote: string): string => `<!doctype html>
<html><head>
<meta http-equiv="refresh" content="0;url=${remote}/refresh">
<base href="${remote}/base/">
<link rel="preconnect" href="${remote}"><link rel="stylesheet" href="${remote}/sheet.css"><link rel="prefetch" href="${remote}/prefetch">
<style>@import "${remote}/import.css"; @font-face { font-family: f; src: url(${remote}/font.woff) } body { background: url(${remote}/background.png); font-family: f }</style>
<script>alert("script")</script><script src="${remote}/script.js"></script>
</head><body onload="alert('onload')">
<img src="${remote}/image.png" srcset="${remote}/srcset.png 2x" onerror="alert('onerror')"><img src="relative.png">
<picture><source srcset="${remote}/source.png"><img src="${remote}/picture.png"></picture>
<svg onload="alert('svg')"><image href="${remote}/svg.png"></image><script>alert("svg script")</script></svg>
<iframe src="${remote}/frame"></iframe><iframe srcdoc="<script>alert('srcdoc')</script>"></iframe>
<object data="${remote}/object"></object><embed src="${remote}/embed"><video src="${remote}/video.mp4" poster="${remote}/poster.png"></video>
<audio src="${remote}/audio.mp3"></audio><input type="image" src="${remote}/input.png" autofocus onfocus="alert('focus')">
<a id="link" href="${remote}/link" style="display:block;position:fixed;inset:0">Link</a>
<form action="${remote}/form"><button autofocus>Send</button></form>
<table background="${remote}/table.png"><tr><td>cell</td></tr></table>
<img src="cid:logo">
</body></html>`

describe("the preview", () => {
  const open = async (
    deliveryId: string,
    query: string,
    use: (page: Page, served: ReadonlyArray<string>) => Promise<void>
  ) => {
    const context = await mailbox.browser.newContext()
    try {
      const page = await context.newPage()
      const dialogs: Array<string> = []
      const served: Array<string> = []
      page.on("dialog", (dialog) => {
        dialogs.push(dialog.message())
        void dialog.dismiss()
      })
      page.on("response", (response) => served.push(`${response.status()} ${new URL(response.url()).pathname}`))
      await page.goto(`${mailbox.url}/mails/${deliveryId}${query}`, { waitUntil: "load" })
      // Whatever the mail begins has begun when its own image is there.
      await expect.poll(() => served).toContain(`200 /mailbox/mails/${deliveryId}/files/0`)
      await use(page, served)
      expect(dialogs).toEqual([])
    } finally {
      await context.close()
    }
  }
  /**
   * Loads a whole page in a second tab, so that what the first one began meanwhile has reached its server. A quiet network is no such sign:
   * Chromium may never report the end of a frame that the policy stopped.
   */
  const letRequestsArrive = async (page: Page) => {
    const other = await page.context().newPage()
    await other.goto(mailbox.url, { waitUntil: "load" })
    await other.close()
  }
  const deliverHostile = () =>
    mailbox.deliver({
      subject: "Hostile",
      html: hostileHtml(mailbox.remote.url),
      attachments: [{ filename: "logo.png", content: pixelPng, contentId: "logo" }]
    })

  it.each([
    ["in its frame", ""],
    ["outside of its frame", "/preview"]
  ])("runs no script and loads nothing from another host %s", async (_, path) => {
    const id = await deliverHostile()
    mailbox.remote.loaded.length = 0
    await open(id, path, async (page) => {
      await letRequestsArrive(page)
      expect(page.url()).toBe(`${mailbox.url}/mails/${id}${path}`)
    })
    expect(mailbox.remote.loaded).toEqual([])
  })

  it("stays at the mail when a link in it is pressed", async () => {
    const id = await deliverHostile()
    mailbox.remote.loaded.length = 0
    await open(id, "", async (page) => {
      const box = (await page.locator("iframe").boundingBox())!
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2)
      await letRequestsArrive(page)
      expect(page.url()).toBe(`${mailbox.url}/mails/${id}`)
    })
    // Chromium may connect to the host of a pressed link, but the policy stops the request.
    expect(mailbox.remote.loaded.filter((path) => path !== "connection")).toEqual([])
  })

  it("loads images of other hosts, but runs no script, after the reader allows it", async () => {
    const id = await deliverHostile()
    mailbox.remote.loaded.length = 0
    await open(id, "", async (page) => {
      await page.getByRole("link", { name: "Load remote content" }).click()
      await expect.poll(() => mailbox.remote.loaded).toContain("/image.png")
      await letRequestsArrive(page)
    })
    expect(mailbox.remote.loaded.filter((path) => /script|frame|object|embed|refresh|form/.test(path))).toEqual([])
  })
})

describe("the list", () => {
  it("shows and announces a new mail by itself, and keeps the focus", async () => {
    const first = await mailbox.deliver({ subject: "Before" })
    await withPage("", {}, async (page) => {
      await page.locator(`#mail-${first}`).focus()
      const id = await mailbox.deliver({ subject: "Just arrived" })
      await expect.poll(() => page.locator(`#mail-${id} .subject`).allTextContents()).toEqual(["Just arrived"])
      expect(await page.locator('[role="status"][aria-live="polite"]#announcement').textContent()).toBe(
        "New mail: Just arrived"
      )
      expect(await page.evaluate("document.activeElement.id")).toBe(`mail-${first}`)
    })
  })

  it("finds a mail by the search field", async () => {
    await mailbox.deliver({ subject: "Needle in the list" })
    await withPage("", {}, async (page) => {
      await page.getByLabel("Recipient or subject").fill("needle")
      await page.keyboard.press("Enter")
      await page.getByText("1 mail found").waitFor()
      expect(await page.locator(".subject").allTextContents()).toEqual(["Needle in the list"])
    })
  })
})

/** Presses Tab until this element has the focus, and returns whether its outline is visible. */
const tabTo = async (page: Page, id: string): Promise<boolean> => {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press("Tab")
    if ((await page.evaluate("document.activeElement.id")) !== id) continue
    return (await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")) === "solid"
  }
  throw new Error(`The Tab key does not reach ${id}.`)
}

describe("the keyboard", () => {
  it("goes from the list to a mail, to its delivery and to the button that lets it bounce", async () => {
    const id = await mailbox.deliver({ subject: "By keyboard", html: "<p>Hello</p>", to: "keyboard@example.org" })
    await withPage("?q=keyboard", {}, async (page) => {
      const visible = [await tabTo(page, `mail-${id}`)]
      await page.keyboard.press("Enter")
      await page.waitForURL(/mails/)
      visible.push(await tabTo(page, "part-delivery"))
      await page.keyboard.press("Enter")
      await page.waitForURL(/part=delivery/)
      visible.push(await tabTo(page, "report-bounce"))
      await page.keyboard.press("Enter")
      await page.waitForURL(/done=reported/)
      expect(await page.locator("#live .status").textContent()).toBe("bounced")
      expect(visible).toEqual([true, true, true])
    })
  })

  it("finds a mail, shows it and reports a complaint without script", async () => {
    const id = await mailbox.deliver({ subject: "No script", text: "Read me", to: "noscript@example.org" })
    await withPage("?q=noscript", { javaScriptEnabled: false }, async (page) => {
      await page.locator(`#mail-${id}`).click()
      expect(await page.getByRole("region", { name: "Text of the mail" }).textContent()).toBe("Read me")
      await page.getByRole("link", { name: "Delivery" }).click()
      await page.getByRole("button", { name: "Complaint" }).click()
      expect(await page.locator("#live .status").textContent()).toBe("complained")
    })
  })
})

describe("a page that changes", () => {
  it("shows the new status of a mail, and does not load the preview again", async () => {
    const id = await mailbox.deliver({ subject: "Changes", html: "<p>Hi</p>", to: "changes@example.org" })
    await withPage(`/mails/${id}`, {}, async (page) => {
      const previews: Array<string> = []
      page.on("request", (request) => request.url().endsWith("/preview") && previews.push(request.url()))
      await withPage(`/mails/${id}?part=delivery`, {}, async (other) => {
        await other.getByRole("button", { name: "Complaint" }).click()
        await other.waitForURL(/done=reported/)
      })
      await expect.poll(() => page.locator("#live .status").textContent()).toBe("complained")
      expect(await page.locator("#announcement").textContent()).toBe("The status is complained.")
      expect(previews).toEqual([])
    })
  })
})

describe("every page", () => {
  const paths = async (): Promise<ReadonlyArray<string>> => {
    const long = "averylongwordwithoutanyspaceinit".repeat(8)
    const html = `<p style="width:1200px">${long}</p><a href="https://acme.example/${long}">x</a>`
    const id = await mailbox.deliver({
      subject: long.slice(0, 200),
      html,
      text: long,
      to: `${"recipient".repeat(6)}@gone.example`,
      attachments: [{ filename: `${long.slice(0, 200)}.pdf`, content: "x" }]
    })
    const parts = ["html", "text", "delivery", "headers", "source", "files", "links"]
    return [
      "",
      "?q=nothing-like-this",
      "?done=emptied",
      "/nothing",
      ...parts.map((part) => `/mails/${id}?part=${part}`)
    ]
  }

  it.each(["light", "dark"] as const)("has no violation of accessibility rules in %s colors", async (colorScheme) => {
    const violations: Array<string> = []
    for (const path of await paths())
      await withPage(path, { colorScheme }, async (page) => {
        for (const violation of await violationsOf(page)) violations.push(`${path} ${violation}`)
      })
    expect(violations).toEqual([])
  })

  it.each([320, 400])("does not scroll sideways in a window of %i pixels", async (width) => {
    const widths: Array<string> = []
    for (const path of await paths())
      await withPage(path, { viewport: { width, height: 800 } }, async (page) => {
        const scrolled = Number(await page.evaluate("document.documentElement.scrollWidth"))
        if (scrolled > width) widths.push(`${path} ${scrolled}`)
      })
    expect(widths).toEqual([])
  })

  it("has light and dark colors", async () => {
    const colors: Array<unknown> = []
    for (const colorScheme of ["light", "dark"] as const)
      await withPage("", { colorScheme }, async (page) => {
        colors.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"))
      })
    expect(colors).toEqual(["rgb(255, 255, 255)", "rgb(20, 23, 27)"])
  })
})
