/**
 * The alerts of the page about operations: the series that they name, and the situations in which each of them fires.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { MetricRow } from "@mailkeep/core/binding"
import { metricTable } from "@mailkeep/core/binding"
import { describe, expect, it } from "vitest"
import { unknownSeries } from "../src/metricsPage.ts"
import { read } from "../src/workspace.ts"

const rules = /```yaml\n(groups:\n[^]*?)```/.exec(read("docs/operations/README.md"))![1]!

/** The gauges of one process that does its work. */
const healthy = {
  up: 1,
  mailkeep_health_status: 0,
  mailkeep_dispatcher_running: 1,
  mailkeep_relay_circuit: 0,
  mailkeep_stuck_deliveries: 0
}

/** The value of each series during 20 minutes. A series without a value does not exist, as after the end of its process. */
type Situation = Readonly<Partial<Record<keyof typeof healthy, number>>>

/** The names of the alerts that fire after 20 minutes, by the test of rules of Prometheus. */
const firing = (situation: Situation, names: ReadonlyArray<string>): string => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-alerts-"))
  try {
    writeFileSync(join(folder, "rules.yaml"), rules)
    const test = {
      interval: "1m",
      input_series: Object.entries(situation).map(([name, value]) => ({
        series: `${name}{job="mailkeep", instance="a"}`,
        values: `${value}x20`
      })),
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: "20m",
          exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 }))
        }
      ]
    }
    // JSON is YAML.
    writeFileSync(join(folder, "test.yaml"), JSON.stringify({ rule_files: ["rules.yaml"], tests: [test] }))
    const { stdout, stderr, status } = spawnSync("promtool", ["test", "rules", join(folder, "test.yaml")], {
      encoding: "utf8"
    })
    return status === 0 ? "as expected" : stdout + stderr
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("the alerts", () => {
  it("names only series and labels that exist", () => {
    expect(rules.match(/alert:/g)!.length).toBeGreaterThan(5)
    expect(unknownSeries(rules)).toEqual([])
    for (const [, name, label, values] of rules.matchAll(/(mailkeep_\w+)\{(\w+)!?[=~]+"([^"]*)"\}/g)) {
      const row: MetricRow = metricTable[name as keyof typeof metricTable]
      expect(row.labels[label!]).toEqual(expect.arrayContaining(values!.split("|")))
    }
  })

  it.skipIf(spawnSync("promtool", ["--version"]).error !== undefined).each<[string, ReadonlyArray<string>, Situation]>([
    ["no process that does its work", [], healthy],
    ["a machine without a process", ["MailkeepDown", "MailkeepNoDispatcher"], { up: 0 }],
    ["a process without a dispatcher", ["MailkeepNoDispatcher"], { ...healthy, mailkeep_dispatcher_running: 0 }],
    [
      "a relay that refuses the login",
      ["MailkeepDegraded"],
      { ...healthy, mailkeep_health_status: 1, mailkeep_relay_circuit: 1 }
    ],
    [
      "a relay that cannot be reached",
      ["MailkeepDegraded", "MailkeepRelayUnreachable"],
      { ...healthy, mailkeep_health_status: 1, mailkeep_relay_circuit: 2 }
    ],
    ["a store that does not answer", ["MailkeepFailing"], { ...healthy, mailkeep_health_status: 2 }]
  ])("fires for %s: %j", (_, names, situation) => {
    expect(firing(situation, names)).toBe("as expected")
  })
})
