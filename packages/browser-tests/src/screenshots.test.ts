/**
 * Writes the pictures of the guides.
 */
import { mkdirSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { BrowserContextOptions } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { MailboxBrowser } from "./mailboxBrowser.ts"
import { openMailboxBrowser, pixelPng } from "./mailboxBrowser.ts"

const folder = fileURLToPath(new URL("../../../docs/images/", import.meta.url))
const bytesMax = 150_000
const wide = { viewport: { width: 900, height: 640 } }

const html = `<div style="font:16px/1.5 sans-serif;max-width:480px;margin:24px auto;color:#1d2733">
<h1 style="color:#0b4fb3">Welcome to Acme</h1><p>Hello Ada,</p><p>your account is ready. The next step takes one minute.</p>
<p><a href="https://acme.example/start" style="background:#0b4fb3;color:#fff;padding:10px 18px;border-radius:6px;text-decoration:none">Choose a password</a></p>
<p style="color:#66707c;font-size:13px">You get this mail because you signed up at acme.example.</p></div>`

describe.runIf(process.env["MAILKEEP_SCREENSHOTS"] === "1")("the pictures of the guides", () => {
  let mailbox: MailboxBrowser
  let welcome = ""
  let bounced = ""
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true })
    mailbox = await openMailboxBrowser()
    await mailbox.deliver({ subject: "Your receipt 2026-114", text: "Thank you." })
    await mailbox.deliver({ subject: "Weekly summary", to: "grace@slow.example", text: "Three new orders." })
    bounced = await mailbox.deliver({ subject: "Password reset", to: "alan@gone.example", text: "Press the link." })
    welcome = await mailbox.deliver({
      subject: "Welcome to Acme",
      html,
      text: "Hello Ada, your account is ready: https://acme.example/start",
      attachments: [{ filename: "first-steps.png", content: pixelPng }]
    })
  })
  afterAll(() => mailbox.close())

  const pictures: ReadonlyArray<readonly [name: string, path: () => string, options: BrowserContextOptions]> = [
    ["list", () => "", wide],
    ["html", () => `/mails/${welcome}`, wide],
    ["bounced", () => `/mails/${bounced}?part=delivery`, { viewport: { width: 900, height: 900 } }],
    ["dark", () => "", { ...wide, colorScheme: "dark" }],
    ["narrow", () => `/mails/${welcome}`, { viewport: { width: 400, height: 800 } }]
  ]
  it.each(pictures)("writes the picture %s with less than 150 kB", async (name, path, options) => {
    const context = await mailbox.browser.newContext(options)
    try {
      const page = await context.newPage()
      await page.goto(`${mailbox.url}${path()}`, { waitUntil: "load" })
      const file = `${folder}mailbox-${name}.png`
      await page.screenshot({ path: file })
      expect(statSync(file).size).toBeLessThan(bytesMax)
    } finally {
      await context.close()
    }
  })
})
