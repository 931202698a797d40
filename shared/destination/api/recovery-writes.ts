import { StaleReadError, set, type Write } from '../../platform/index.ts';
import { connectedEvent, type DestinationOwner, destinationKey } from '../model/read-destination.ts';
import type { DestinationRecord } from '../model/record.ts';

/**
 * Steps of a test that a completed backup passes as well. It does not prove that objects can be listed, locked or deleted, nor that the
 * role or the workload identity provider trusts this organization only.
 */
const provenSteps: readonly string[] = ['open', 'write', 'read'];

/** Marks a destination as connected again, with its event, after a backup into it that began at `since`. No writes if nothing changes. */
export const recoveryWrites = (
  owner: DestinationOwner,
  { record, since, now }: { readonly record: DestinationRecord; readonly since: string; readonly now: Date },
): readonly Write[] => {
  const { status, lastError, lastTestedAt } = record;
  if (status !== 'error' || !lastError || lastError.at >= since) return [];
  if (lastError.step !== null && !provenSteps.includes(lastError.step)) return [];
  const attributes = { status: 'connected', lastError: undefined } as const;
  return [
    set(destinationKey(owner.tenant, record.id), attributes, {
      // Every failure changes this time.
      expected: { status, lastTestedAt },
      onConditionFailed: () => new StaleReadError(),
    }),
    connectedEvent(owner, { ...record, ...attributes }, now),
  ];
};
