/**
 * The sidebar: one group for each section, with the pages in their order.
 */
import type { DefaultTheme } from "vitepress"
import type { Page } from "./pages.ts"

/** A section with more pages is closed until one of its pages is shown. */
const openPagesMax = 12

/** `API-reports` is shown as "API reports". */
const label = (section: string): string => {
  const words = section.replaceAll("-", " ")
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** The address of a page on the site, without the base. */
export const addressOf = ({ path }: Pick<Page, "path">): string => `/${path.replace(/(^|\/)index\.md$/, "$1")}`

/** The groups of the sidebar. Pages outside a folder come first, in a group with the title of the site. */
export const sidebarOf = (pages: ReadonlyArray<Page>, siteTitle: string): Array<DefaultTheme.SidebarItem> => {
  const sections = [...new Set(["", ...pages.map(({ section }) => section)])]
  return sections.map((section) => {
    const items = pages
      .filter((page) => page.section === section)
      .map((page) => ({ text: page.title, link: addressOf(page) }))
    return { text: section === "" ? siteTitle : label(section), collapsed: items.length > openPagesMax, items }
  })
}
