/**
 * What a contact adds to the counters of its project, and so what a write of it moves. Source: decisions 0015, 0025 and 0026.
 */
import type { Change } from "../domain/Change.ts"
import type { Contact } from "../domain/Contact.ts"
import type { CounterName } from "../domain/Plan.ts"
import type { ProjectId } from "../domain/Project.ts"

const countedIn = (contact: Contact | null): ReadonlyArray<CounterName> =>
  contact === null
    ? []
    : [
        "contacts",
        ...(contact.emailStatus === "unsubscribed" ? (["unsubscribed"] as const) : []),
        ...contact.listIds.map((id) => `list:${id}` as const),
        ...Object.keys(contact.properties).map((id) => `property:${id}` as const)
      ]

/** One change for each counter that the step from one to the other moves. `contactsMax` is the plan's. */
export const contactCounts = (
  projectId: ProjectId,
  before: Contact | null,
  after: Contact | null,
  contactsMax: number | null = null
): ReadonlyArray<Change> => {
  const [left, entered] = [countedIn(before), countedIn(after)]
  const spend = (name: CounterName, by: number, max: number | null): Change => ({
    _tag: "SpendCounter",
    projectId,
    name,
    by,
    max
  })
  return [
    ...left.filter((name) => !entered.includes(name)).map((name) => spend(name, -1, null)),
    ...entered
      .filter((name) => !left.includes(name))
      .map((name) => spend(name, 1, name === "contacts" ? contactsMax : null))
  ]
}
