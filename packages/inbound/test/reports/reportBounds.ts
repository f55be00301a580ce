/** Checks that what the reader returns keeps its own promises, for any input. */
import { expect } from "vitest"
import type { ComplaintReport, DeliveryStatusReport, MailReports } from "../../src/reports/MailReport.ts"

const kinds = ["delivery-status", "complaint", "automatic-reply", "disposition", "other"]
const controlCharacter = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const checkStatus = (report: DeliveryStatusReport) => {
  const { recipient, enhancedCode: status, smtpCode: code, diagnostic, action, cause } = report
  expect(diagnostic.length).toBeLessThanOrEqual(1000)
  expect(diagnostic).not.toMatch(controlCharacter)
  expect(diagnostic.isWellFormed()).toBe(true)
  expect(recipient ?? "a@b").toMatch(/^[^\s<>]{1,255}@[^\s<>]{1,255}$/)
  expect(status ?? "5.1.1").toMatch(/^[245]\.\d{1,3}\.\d{1,3}$/)
  expect(code === null || (code >= 200 && code <= 559)).toBe(true)
  expect(cause === null).toBe(action !== "failed")
}

const checkComplaint = ({ recipients }: ComplaintReport) => {
  expect(recipients.length).toBeLessThanOrEqual(100)
  for (const recipient of recipients) expect(recipient).not.toMatch(controlCharacter)
}

/** Fails if a result breaks a bound. */
export const checkBounds = ({ kind, reports, correlation }: MailReports): void => {
  expect(kinds).toContain(kind)
  expect(reports.length > 0).toBe(kind === "delivery-status" || kind === "complaint")
  expect(reports.length).toBeLessThanOrEqual(100)
  for (const report of reports)
    if (report._tag === "DeliveryStatus") checkStatus(report)
    else checkComplaint(report)
  expect(correlation.returnPaths.length).toBeLessThanOrEqual(20)
  expect(correlation.messageIds.length).toBeLessThanOrEqual(20)
  expect(correlation.envelopeId?.length ?? 0).toBeLessThanOrEqual(100)
}
