/**
 * The configuration of the site. Its pages are the Markdown files of the repository at their own places.
 */
import { existsSync } from "node:fs"
import { join, relative } from "node:path"
import type { Plugin } from "vitepress"
import { defineConfig } from "vitepress"
import { anchorOf } from "./links.ts"
import { useRules } from "./markdown.ts"
import { contentSecurityPolicy } from "./ownHost.ts"
import { markdownFiles, pagesAmong, readSource, root } from "./pages.ts"
import { sidebarOf } from "./sidebar.ts"

const title = "Mailkeep"
const all = markdownFiles()
const pages = pagesAmong(all, readSource)
const sources = new Set(pages.map(({ source }) => source))
const { homepage } = JSON.parse(readSource("packages/core/package.json")) as { readonly homepage: string }
const targets = {
  pages,
  exists: (path: string) => existsSync(join(root, path)),
  repository: homepage.replace(/\/tree\/.*$/, "")
}
const sourceOf = (file: string): string => relative(root, file).replaceAll("\\", "/")

/** The declarations of a whole package would fill the search results, and the search index. */
const isSearched = (file: string): boolean => !sourceOf(file).startsWith("etc/")

/** The pages are not below this package, so their imports of Vue would not be found while their HTML is made. */
const vueOfThisPackage: Plugin = {
  name: "vue-of-this-package",
  enforce: "pre",
  resolveId: (id, _, { ssr }) => (ssr === true && /^vue(?:$|\/)/.test(id) ? { id, external: true } : undefined)
}

export default defineConfig({
  title,
  description: "A mail core that a TypeScript product embeds in its own process.",
  srcDir: root,
  srcExclude: all.filter((file) => !sources.has(file)),
  outDir: join(root, "packages/site/dist"),
  cacheDir: join(root, "node_modules/.cache/vitepress"),
  rewrites: Object.fromEntries(pages.map(({ source, path }) => [source, path])),
  markdown: {
    anchor: { slugify: anchorOf },
    config: (md) => useRules(md, targets, sourceOf)
  },
  // No icon is loaded: browsers would ask for /favicon.ico.
  head: [["link", { rel: "icon", href: "data:," }]],
  transformHead: () => [["meta", { "http-equiv": "Content-Security-Policy", content: contentSecurityPolicy }]],
  themeConfig: {
    sidebar: sidebarOf(pages, title),
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        _render: (text, env, md) => (isSearched(env.realPath ?? env.path) ? md.render(text, env) : "")
      }
    }
  },
  vite: {
    // The HTML files of the repository are no entries of the site.
    optimizeDeps: { entries: [] },
    plugins: [vueOfThisPackage],
    build: { chunkSizeWarningLimit: 2000 }
  }
})
