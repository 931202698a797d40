/** A function of ours as its lines must be found: by its run, and by what it was given to do. */
import { idsIn } from '../contract/id.ts';
import { withIds } from './ids.ts';
import { log } from './log.ts';

/** Lambda's own id of the run; a test that starts a handler by hand has none. */
const runIdOf = (context: unknown): string => (context as { readonly awsRequestId?: string } | undefined)?.awsRequestId ?? 'none';

/** Whatever it throws is told with its ids first: Lambda's own line of it has none. */
export const logged =
  <A extends readonly unknown[], T>(handler: (...given: A) => Promise<T>): ((...given: A) => Promise<T>) =>
  (...given) =>
    withIds({ requestId: runIdOf(given[1]), ...idsIn(given[0]) }, async () => {
      try {
        return await handler(...given);
      } catch (error) {
        log.error('the run failed', error as Error);
        throw error;
      }
    });
