/** Which composite indexes a database has, and how far those are that are being built. */
import * as z from 'zod/mini';
import { describeIndex } from './compare-configurations.ts';
import { type ConfigurationApi, ConfigurationError } from './configuration-api.ts';
import { listIndexes, pagesOf } from './read-configuration.ts';

export interface IndexState {
  /** In the words of the Admin API: CREATING, READY, NEEDS_REPAIR. */
  readonly state: string;
  /** Of one that is being built, if its operation tells. */
  readonly percent: number | null;
}

export const readIndexStates = async (api: ConfigurationApi): Promise<ReadonlyMap<string, IndexState>> => {
  const found = await listIndexes(api);
  const isBuilding = found.some(({ state }) => state === 'CREATING');
  const progress = isBuilding ? await readProgress(api) : new Map<string, number>();
  return new Map(found.map(({ name, state, index }) => [describeIndex(index), { state, percent: progress.get(name) ?? null }]));
};

const Operations = z.object({
  operations: z._default(
    z.array(
      z.object({
        done: z.optional(z.boolean()),
        metadata: z.optional(
          z.object({
            index: z.optional(z.string()),
            progressDocuments: z.optional(
              z.object({ estimatedWork: z._default(z.coerce.number(), 0), completedWork: z._default(z.coerce.number(), 0) }),
            ),
          }),
        ),
      }),
    ),
    [],
  ),
});

/** Without the permission to see operations there are no percentages. */
const readProgress = async (api: ConfigurationApi): Promise<ReadonlyMap<string, number>> => {
  const progress = new Map<string, number>();
  try {
    for await (const page of pagesOf(api, { api: 'database', path: '/operations' }))
      for (const { done, metadata } of Operations.parse(page).operations) {
        const { estimatedWork = 0, completedWork = 0 } = metadata?.progressDocuments ?? {};
        if (done || metadata?.index === undefined || estimatedWork === 0) continue;
        progress.set(metadata.index, Math.min(99, Math.floor((completedWork / estimatedWork) * 100)));
      }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
  }
  return progress;
};
