import { describe, expect, it } from "vitest"
import { withDirectImports } from "../src/directImports.ts"

describe("withDirectImports", () => {
  it.each([
    ['import { Effect } from "effect";', 'import * as Effect from "effect/Effect";'],
    [
      'import { Effect, Option as Maybe } from "effect";',
      'import * as Effect from "effect/Effect"; import * as Maybe from "effect/Option";'
    ],
    ['import { Command } from "effect/cli";', 'import * as Command from "effect/cli/Command";'],
    ['import { Effect } from "effect"', 'import * as Effect from "effect/Effect";'],
    ['import {\n  Effect\n} from "effect"\n', 'import * as Effect from "effect/Effect";\n\n\n']
  ])("rewrites the import %j", (code, expected) => expect(withDirectImports(code)).toBe(expected))

  it.each([
    'import { taggedEnum } from "effect/Data";',
    'import { MailStore } from "@mailkeep/core";',
    'import type { Effect } from "effect"',
    'const text = "import { Effect } from effect";'
  ])("keeps the code %j", (code) => expect(withDirectImports(code)).toBe(code))

  it("refuses a function of the collection, which is no module", () => {
    expect(() => withDirectImports('import { pipe } from "effect";')).toThrow("effect has no module pipe")
  })
})
