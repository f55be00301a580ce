/**
 * Reads the messages of the delivery log, page by page.
 */
import { Effect } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { Position } from "../../domain/store/Paging.ts"
import type { LogFilters } from "../../domain/delivery/LogFilters.ts"
import type { AnswerOf } from "../../domain/store/Query.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"

const logPageMax = 50
const scanMax = 1000

/** The deliveries whose messages are read. */
interface LoggedMessagesQuery {
  readonly projectId: ProjectId
  readonly filters: LogFilters
}

/** Runs an effect for each page of the log, with the different ids of the messages of its deliveries. */
export const forEachLoggedMessages = <E>(
  store: MailStoreShape,
  { projectId, filters }: LoggedMessagesQuery,
  onMessages: (messageIds: ReadonlyArray<string>) => Effect.Effect<void, E>
): Effect.Effect<void, E | StoreUnavailable> =>
  Effect.gen(function* () {
    let after: Position | null = null
    do {
      const [page]: readonly [AnswerOf<"LogPage">] = yield* store.read([
        { _tag: "LogPage", projectId, filters, after, limit: logPageMax, scanLimit: scanMax }
      ])
      const deliveries = yield* store.read(page.items.map(({ id }) => ({ _tag: "Delivery", projectId, id }) as const))
      const ids = new Set(deliveries.flatMap((delivery) => (delivery === null ? [] : [delivery.messageId])))
      yield* onMessages([...ids])
      after = page.next
    } while (after !== null)
  })
