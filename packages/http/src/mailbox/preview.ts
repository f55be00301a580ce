/**
 * The HTML of a mail for the frame of the preview. No script runs in it, and nothing is loaded from another host unless the reader asks for it.
 */
import type { CapturedMail } from "@mailkeep/core/binding"

const frames = ["iframe", "frame"]

const escapedForm = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Replaces each `cid:` of a file of the mail by the address of the file (RFC 2392). */
const withFiles = (html: string, { attachments }: CapturedMail["message"], fileUrl: (index: number) => string) =>
  attachments.reduce(
    (text, { contentId }, index) =>
      contentId === null
        ? text
        : text.replace(
            new RegExp(
              `\\bcid:(?:${escapedForm(contentId)}|${escapedForm(encodeURIComponent(contentId))})(?=["'\\s)&>])`,
              "gi"
            ),
            () => fileUrl(index)
          ),
    html
  )

/**
 * Renames elements for which a browser may open a connection although the policy forbids to load anything: `<link rel="preconnect">`, and the
 * navigation of a frame. The tokenizer of HTML knows no other way to begin an element.
 */
const withoutElements = (html: string, names: ReadonlyArray<string>): string =>
  html.replace(new RegExp(`<(?=(?:${names.join("|")}))`, "gi"), "<x-")

/** The document of the preview. `remote`: the reader allows files of other hosts. */
export const previewDocument = (
  message: CapturedMail["message"],
  { remote, fileUrl }: { readonly remote: boolean; readonly fileUrl: (index: number) => string }
): string => {
  const html = withFiles(message.html ?? "", message, fileUrl)
  return withoutElements(html, remote ? frames : [...frames, "link"])
}

/**
 * The policy of the preview. `sandbox` without permissions stops scripts, forms, popups and `http-equiv="refresh"`. The policy also applies when
 * the document is opened outside of the frame. `files` is the address below which the files of the mail are.
 */
export const previewPolicy = ({ remote, files }: { readonly remote: boolean; readonly files: string }): string =>
  [
    "sandbox",
    "default-src 'none'",
    `img-src data: ${remote ? "http: https:" : files}`,
    `style-src 'unsafe-inline'${remote ? " http: https:" : ""}`,
    `font-src data:${remote ? " http: https:" : ""}`,
    `media-src ${remote ? "http: https:" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'"
  ].join("; ")
