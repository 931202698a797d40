/** The comparison of two stored configurations, as the API and the archive command show it. Pure. */
import type * as z from 'zod/mini';
import type { Configuration, ConfigurationDiff } from '../../contract/models/configuration.ts';
import { compareConfigurations } from './compare-configurations.ts';

/** A backup, or `live`, with what it holds. */
export interface ComparedConfiguration {
  readonly id: string;
  readonly configuration: Configuration | undefined;
}

/** From the first to the second: `removed` is what only the first has. Nothing is compared if one holds no configuration. */
export const configurationDiffData = (
  { id, configuration: mine }: ComparedConfiguration,
  { id: against, configuration: other }: ComparedConfiguration,
): z.output<typeof ConfigurationDiff> => {
  const compared = mine && other ? compareConfigurations(mine, other) : undefined;
  return {
    backupId: id,
    against,
    capturedAt: { backup: mine?.capturedAt ?? null, against: other?.capturedAt ?? null },
    withoutConfiguration: [...(mine ? [] : [id]), ...(other ? [] : [against])],
    unknown: [...(compared?.unknown ?? [])],
    equal: compared?.equal ?? 0,
    differences: [...(compared?.differences ?? [])],
  };
};
