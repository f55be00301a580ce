/**
 * The counters of a project to which a contact adds, and the counter changes for a write of a contact. Source: decisions 0015, 0025 and 0026.
 */
import type { Change } from "../../domain/store/Change.ts"
import type { ContactRecord } from "../../domain/contact/Contact.ts"
import type { CounterName } from "../../domain/plan/Plan.ts"
import type { ProjectId } from "../../domain/access/Project.ts"

const countedIn = (contact: ContactRecord | null): ReadonlyArray<CounterName> =>
  contact === null
    ? []
    : [
        "contacts",
        ...(contact.emailStatus === "unsubscribed" ? (["unsubscribed"] as const) : []),
        ...contact.listIds.map((id) => `list:${id}` as const),
        ...Object.keys(contact.properties).map((id) => `property:${id}` as const)
      ]

/** Returns one change for each counter that differs between the two states. `contactsMax` is the limit of the plan. */
export const contactCounts = (
  projectId: ProjectId,
  before: ContactRecord | null,
  after: ContactRecord | null,
  contactsMax: number | null = null
): ReadonlyArray<Change> => {
  const [left, entered] = [countedIn(before), countedIn(after)]
  const counterChange = (name: CounterName, by: number, max: number | null): Change => ({
    _tag: "AddToCounter",
    projectId,
    name,
    by,
    max
  })
  return [
    ...left.filter((name) => !entered.includes(name)).map((name) => counterChange(name, -1, null)),
    ...entered
      .filter((name) => !left.includes(name))
      .map((name) => counterChange(name, 1, name === "contacts" ? contactsMax : null))
  ]
}
