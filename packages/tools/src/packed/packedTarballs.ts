/**
 * The packed file of each published package.
 */
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { build, pack, tarballName } from "../build.ts"
import type { Package } from "../releasePackages.ts"

/** Takes the files of the folder `given`. Without it, builds and packs into the temporary folder. Returns the file of each package by its name. */
export const packedTarballs = async (
  published: ReadonlyArray<Package>,
  temporary: string,
  given?: string
): Promise<ReadonlyMap<string, string>> => {
  const folder = given === undefined ? join(temporary, "tarballs") : resolve(given)
  if (given === undefined) {
    mkdirSync(folder)
    await build(published)
    pack(published, folder)
  }
  return new Map(published.map((one) => [one.manifest.name, join(folder, tarballName(one))]))
}
